-- Closed periods of one metric from an instant on.
-- $1 metric: integer, the schema's number of a layout.
-- $2 from: bigint, Unix seconds; the earliest start.
-- Returns: start (Unix seconds).
select extract(epoch from period_start)::bigint
from throng.closed_period
where metric_id = $1::integer
    and period_start >= to_timestamp($2::bigint);
