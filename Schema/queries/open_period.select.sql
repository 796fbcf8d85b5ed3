select layout.layout_id,
    layout.layout,
    extract(epoch from open.period_start)::bigint,
    extract(epoch from open.period_end)::bigint
from throng.open_period as open
join throng.metric_layout as layout using (metric_id)
where layout.app = $1
order by open.period_end, open.metric_id;
