-- The first sight of a daemon starts it at 0; every attachment moves the fence from the one that was found ($3; 0 for
-- none) to a higher one ($2), which locks out earlier processes. No row comes back where another process was faster.
insert into throng.watermark as known (daemon, position, fence)
values ($1::uuid, 0, $2::bigint)
on conflict (shard, daemon) do update
set fence = excluded.fence,
    attached_at = now()
where known.fence = $3::bigint
returning position;
