select metric_id
from throng.metric_layout
where layout_id = $1::bytea;
