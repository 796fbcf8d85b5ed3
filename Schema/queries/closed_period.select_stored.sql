-- The periods of a layout within a stretch of time that were counted, released or not.
-- $1 metric: integer, the schema's number of a layout.
-- $2 from: bigint, Unix seconds; the earliest start.
-- $3 to: bigint, Unix seconds; the latest end.
-- Returns: start and end (Unix seconds), by start.
select extract(epoch from known.period_start)::bigint,
    extract(epoch from known.period_end)::bigint
from (
    select period_start,
        period_end
    from throng.open_period
    where metric_id = $1::integer
    union
    select period_start,
        period_end
    from throng.closed_period
    where metric_id = $1::integer
) as known
where known.period_start >= to_timestamp($2::bigint)
    and known.period_end <= to_timestamp($3::bigint)
order by known.period_start;
