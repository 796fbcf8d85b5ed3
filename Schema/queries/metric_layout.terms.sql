-- Under which terms a layout is released.
-- $1 layout: bytea, its identity, 32 bytes.
-- Returns: k (devices), sensitive dimensions (separated by commas), protection (percent), margin (null where exact); no
--     row where no daemon that keeps them has registered it with a plan.
select threshold,
    array_to_string(sensitive, ','),
    protection,
    margin
from throng.metric_layout
where layout_id = $1::bytea
    and threshold is not null;
