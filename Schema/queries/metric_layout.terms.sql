-- Under which terms a layout is released and kept; nothing where no daemon that keeps them has registered it with a plan.
select threshold,
    array_to_string(sensitive, ','),
    protection,
    array_to_string(expiry_after, ','),
    array_to_string(expiry_drops, ',')
from throng.metric_layout
where layout_id = $1::bytea
    and threshold is not null;
