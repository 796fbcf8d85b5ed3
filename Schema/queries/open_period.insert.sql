-- Opens the periods that a flush touches. Sorted, so that daemons that touch the same new periods wait for each other
-- in one order.
-- $1 metrics: integer[], one a period.
-- $2 starts: bigint[], Unix seconds; one a period.
-- $3 ends: bigint[], Unix seconds; one a period.
-- Returns: no rows.
insert into throng.open_period (metric_id, period_start, period_end)
select metric_id,
    to_timestamp(start_seconds),
    to_timestamp(end_seconds)
from unnest($1::integer[], $2::bigint[], $3::bigint[]) as touched (metric_id, start_seconds, end_seconds)
order by metric_id, start_seconds
on conflict (metric_id, period_start) do nothing;
