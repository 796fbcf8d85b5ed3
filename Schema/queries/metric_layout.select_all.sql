-- Every layout that an app's metrics ever had.
select metric_id,
    metric,
    layout_id,
    layout
from throng.metric_layout
where app = $1
order by metric_id;
