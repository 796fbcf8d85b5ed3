-- Lets who waits know that it was heard: from then on it waits anew. Touches no row while this process flushes.
-- $1 daemon: uuid.
-- $2 fence: bigint, microseconds since 1970; the one under which this process attached.
-- $3 shard: smallint, the daemon's.
-- Returns: no rows; none is touched where nobody waits, or who waited has taken the place already.
update throng.watermark as known
set claim = -known.claim
from (
    select shard,
        daemon
    from throng.watermark
    where shard = $3::smallint
        and daemon = $1::uuid
        and fence = $2::bigint
        and claim > 0
    for update skip locked
) as free
where known.shard = $3::smallint
    and known.daemon = free.daemon;
