-- The schema's number of a layout.
-- $1 layout: bytea, its identity, 32 bytes.
-- Returns: metric; no row where it was never registered.
select metric_id
from throng.metric_layout
where layout_id = $1::bytea;
