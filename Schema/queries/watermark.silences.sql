-- For how long each daemon that ever attached to this database was not heard of.
-- Returns: daemon, silence (seconds), by daemon.
select daemon::text,
    extract(epoch from now() - greatest(attached_at, advanced_at, settled_at))::bigint
from throng.watermark
order by daemon;
