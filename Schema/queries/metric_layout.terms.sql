-- Under which terms a layout is released and kept.
-- $1 layout: bytea, its identity, 32 bytes.
-- Returns: k (devices), sensitive dimensions (separated by commas), protection (percent), ages at which numbers go
--     (seconds, separated by commas), what goes then (separated by commas); no row where no daemon that keeps them has
--     registered it with a plan.
select threshold,
    array_to_string(sensitive, ','),
    protection,
    array_to_string(expiry_after, ','),
    array_to_string(expiry_drops, ',')
from throng.metric_layout
where layout_id = $1::bytea
    and threshold is not null;
