-- Announces who will take the place ($3), to whoever holds it under a fence ($2). Touches no row while that one flushes.
update throng.watermark as known
set claim = $3::bigint
from (
    select shard,
        daemon
    from throng.watermark
    where shard = 0
        and daemon = $1::uuid
        and fence = $2::bigint
        and coalesce(claim, 0) <= $3::bigint
    for update skip locked
) as free
where known.shard = free.shard
    and known.daemon = free.daemon;
