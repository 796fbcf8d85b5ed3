-- Releases of a metric whose periods start in [$4, $5) and that were made before the first one of the period that starts
-- at $6; those that age took whole are left out.
select r.release_id,
    r.header,
    r.digest,
    (
        -- Names hold no comma.
        select coalesce(string_agg(d.dropped, ',' order by d.dropped), '')
        from throng.decay as d
        where d.release_id = r.release_id
            and d.cells > 0
    ) as dropped
from throng.release as r
where r.app = $1
    and r.metric = $2
    and r.period_kind = $3::smallint
    and r.period_start >= to_timestamp($4::bigint)
    and r.period_start < to_timestamp($5::bigint)
    and r.release_id < (
        select min(own.release_id)
        from throng.release as own
        where own.app = $1
            and own.metric = $2
            and own.period_kind = $3::smallint
            and own.period_start = to_timestamp($6::bigint)
    )
    and not exists (
        select
        from throng.decay as d
        where d.release_id = r.release_id
            and d.dropped = '*'
    )
order by r.period_start, r.release_id;
