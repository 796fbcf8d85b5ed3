-- Which of a flush's periods were released meanwhile.
-- $1 metrics: integer[], one a period.
-- $2 starts: bigint[], Unix seconds; one a period.
-- Returns: metric, start (Unix seconds).
select closed.metric_id,
    extract(epoch from closed.period_start)::bigint
from unnest($1::integer[], $2::bigint[]) as touched (metric_id, unix_seconds)
join throng.closed_period as closed
    on closed.metric_id = touched.metric_id
    and closed.period_start = to_timestamp(touched.unix_seconds);
