-- What a daemon should know before it counts a late event.
-- $1 metrics: integer[], those that the flush touches.
-- $2 since: bigint, Unix seconds; the oldest end of a period that late events may reach.
-- Returns: metric, start (Unix seconds).
select metric_id,
    extract(epoch from period_start)::bigint
from throng.closed_period
where metric_id = any ($1::integer[])
    and period_end >= to_timestamp($2::bigint);
