-- Announces who will take the place, to whoever holds it. Touches no row while that one flushes.
-- $1 daemon: uuid.
-- $2 fence: bigint, microseconds since 1970; under which it is held.
-- $3 claim: bigint, microseconds since 1970; under which it will be taken.
-- $4 shard: smallint, the daemon's.
-- Returns: no rows; one is touched where the claim was heard.
update throng.watermark as known
set claim = $3::bigint
from (
    select shard,
        daemon
    from throng.watermark
    where shard = $4::smallint
        and daemon = $1::uuid
        and fence = $2::bigint
        and coalesce(claim, 0) <= $3::bigint
    for update skip locked
) as free
where known.shard = $4::smallint
    and known.daemon = free.daemon;
