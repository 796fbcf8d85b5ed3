-- Daemons that have not answered an asking ($1), and for how long nothing was heard of them. Unit: seconds.
select daemon::text,
    extract(epoch from now() - greatest(attached_at, advanced_at, settled_at))::bigint
from throng.watermark
where shard = 0
    and settled < $1::bigint
order by daemon;
