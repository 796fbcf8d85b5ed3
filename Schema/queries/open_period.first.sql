-- When the first open period of an app is over; null where there is none.
select extract(epoch from min(open.period_end))::bigint
from throng.open_period as open
join throng.metric_layout as layout using (metric_id)
where layout.app = $1;
