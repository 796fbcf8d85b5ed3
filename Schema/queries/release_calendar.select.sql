-- The first period of a layout from an instant on that is open or was released, null where there is none, and how many
-- there are up to today's.
-- $1 metric: integer, the schema's number of a layout.
-- $2 from: bigint, Unix seconds; the earliest start.
-- Returns: one row: start (Unix seconds), periods.
select extract(epoch from min(period_start))::bigint,
    count(*)
from (
    select period_start
    from throng.open_period
    where metric_id = $1::integer
        and period_start >= to_timestamp($2::bigint)
    union
    select period_start
    from throng.closed_period
    where metric_id = $1::integer
        and period_start >= to_timestamp($2::bigint)
) as known;
