select metric_id,
    metric
from throng.metric_layout
where app = $1
order by metric_id;
