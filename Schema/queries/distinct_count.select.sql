-- The distinct counts of one period: each identifier of a window goes to one daemon, so they add up over daemons.
-- $1 metric: integer, the schema's number of a layout.
-- $2 kind: smallint, 0 hour, 1 day, 2 week, 3 month.
-- $3 start: bigint, Unix seconds; the first second of the period.
-- Returns: margin, cell, window, devices, in this order.
select margin,
    cell,
    window_number,
    least(sum(devices), 9223372036854775807)::bigint
from throng.distinct_count
where shard = any (array(select member.shard from throng.member))
    and metric_id = $1::integer
    and period_kind = $2::smallint
    and period_start = to_timestamp($3::bigint)
group by margin, cell, window_number
order by margin, cell, window_number;
