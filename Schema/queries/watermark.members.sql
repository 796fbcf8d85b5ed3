-- The daemons that ever attached to this database, for how long each was not heard of, and whether it has stopped and left
-- nothing behind.
-- Returns: daemon, silence (seconds), stopped (1 or 0), by daemon.
select daemon::text,
    extract(epoch from now() - greatest(attached_at, advanced_at, settled_at))::bigint,
    (settled = 9223372036854775807)::integer
from throng.watermark
where shard = 0
order by daemon;
