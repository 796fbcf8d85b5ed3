-- The first sight of a daemon starts it at 0; every attachment moves the fence, which locks out earlier processes.
insert into throng.watermark as known (daemon, position, fence)
values ($1::uuid, 0, 1)
on conflict (shard, daemon) do update
set fence = known.fence + 1,
    attached_at = now()
returning position, fence;
