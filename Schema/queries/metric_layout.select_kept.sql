-- Every layout of every app, and how long its numbers are kept; nulls where no plan said so.
-- Returns: metric, app, its name, ages at which numbers go (seconds, separated by commas), what goes then (separated by
--     commas), by metric.
select metric_id,
    app,
    metric,
    array_to_string(expiry_after, ','),
    array_to_string(expiry_drops, ',')
from throng.metric_layout
order by metric_id;
