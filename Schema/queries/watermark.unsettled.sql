-- Daemons that have not answered an asking, and for how long nothing was heard of them.
-- $1 asking: bigint.
-- Returns: daemon, silence (seconds), by daemon.
select daemon::text,
    extract(epoch from now() - greatest(attached_at, advanced_at, settled_at))::bigint
from throng.watermark
where settled < $1::bigint
order by daemon;
