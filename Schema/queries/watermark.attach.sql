-- The first sight of a daemon starts it at 0; every attachment moves the fence from the one that was found ($3; 0 for
-- none) to a higher one ($2), which locks out earlier processes. No row comes back where another process was faster, or
-- has announced itself since. What its journal holds is not in the counters until it says so.
insert into throng.watermark as known (daemon, position, fence, holder)
values ($1::uuid, 0, $2::bigint, $4)
on conflict (shard, daemon) do update
set fence = excluded.fence,
    holder = excluded.holder,
    claim = null,
    attached_at = now(),
    settled = 0
where known.fence = $3::bigint
    and coalesce(known.claim, 0) <= $2::bigint
returning position;
