-- What daemons that were said to be lost may have lost: what they acknowledged and PostgreSQL does not have.
-- $1 from: bigint, Unix seconds; the first second that may be lost.
-- $2 to: bigint, Unix seconds; the first second after it.
-- Returns: from when on it may be lost, until when others did not count in its place (Unix seconds), how many slots it counted, by
--     when that began.
select floor(extract(epoch from lost.lost_since))::bigint,
    extract(epoch from lost.retired_at)::bigint,
    coalesce(
        (
            select cardinality(array_positions(known.owners, lost.shard))
            from throng.epoch as known
            where known.state = 'in force'
                and lost.shard = any (known.owners)
            order by known.epoch desc
            limit 1
        ),
        0
    )::bigint
from throng.member as lost
where lost.lost_since < to_timestamp($2::bigint)
    and lost.retired_at > to_timestamp($1::bigint)
order by lost.lost_since, lost.shard;
