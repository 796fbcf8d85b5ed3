-- For how long each daemon that ever attached to this database was not heard of, but for those that were retired: nothing of theirs
-- is anywhere.
-- Returns: daemon, silence (seconds), by daemon.
select daemon::text,
    extract(epoch from now() - greatest(attached_at, advanced_at, settled_at))::bigint
from throng.watermark
where fence < 9223372036854775807
order by daemon;
