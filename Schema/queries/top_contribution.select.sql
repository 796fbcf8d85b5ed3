-- The two largest over all daemons. Each identifier goes to one daemon, but what a daemon counted under a period that
-- was released meanwhile may be the same identifier's again: within a daemon such pairs are added, which errs on the
-- safe side. 9223372036854775807 is where they saturate.
-- $1 metric: integer, the schema's number of a layout.
-- $2 start: bigint, Unix seconds; the first second of the period.
-- Returns: margin, cell, measure, window, largest, second largest.
with by_daemon as (
    select margin,
        cell,
        measure,
        window_number,
        least(sum(largest), 9223372036854775807)::bigint as largest,
        least(sum(second_largest), 9223372036854775807)::bigint as second_largest
    from throng.top_contribution
    where shard = any (array(select member.shard from throng.member))
        and metric_id = $1::integer
        and period_start = to_timestamp($2::bigint)
    group by margin, cell, measure, window_number, daemon
), merged as (
    select margin,
        cell,
        measure,
        window_number,
        array_agg(amount order by amount desc) as amounts
    from by_daemon
    cross join lateral (values (largest), (second_largest)) as pair (amount)
    group by margin, cell, measure, window_number
)
select margin,
    cell,
    measure,
    window_number,
    amounts[1],
    amounts[2]
from merged
order by margin, cell, measure, window_number;
