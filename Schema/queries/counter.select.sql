-- The counters of one period, over all daemons.
-- $1 metric: integer, the schema's number of a layout.
-- $2 kind: smallint, 0 hour, 1 day, 2 week, 3 month.
-- $3 start: bigint, Unix seconds; the first second of the period.
-- Returns: measure, cell, value, in this order.
select measure,
    cell,
    least(greatest(sum(value), -9223372036854775808), 9223372036854775807)::bigint
from throng.counter
where shard = any (array(select member.shard from throng.member))
    and metric_id = $1::integer
    and period_kind = $2::smallint
    and period_start = to_timestamp($3::bigint)
group by measure, cell
order by measure, cell;
