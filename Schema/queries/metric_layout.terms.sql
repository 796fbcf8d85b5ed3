-- Under which terms a layout is released.
-- $1 layout: bytea, its identity, 32 bytes.
-- Returns: k (devices); no row where no daemon that keeps it has registered the layout with a plan.
select threshold
from throng.metric_layout
where layout_id = $1::bytea
    and threshold is not null;
