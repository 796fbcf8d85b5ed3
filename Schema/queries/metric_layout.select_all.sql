-- Every layout that an app's metrics ever had.
-- $1 app: text.
-- Returns: metric, its name, identity (32 bytes), layout (JSON), by metric.
select metric_id,
    metric,
    layout_id,
    layout
from throng.metric_layout
where app = $1
order by metric_id;
