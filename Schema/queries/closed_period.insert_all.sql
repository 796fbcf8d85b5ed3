-- Closes periods in which nothing was counted: what comes late counts in the one that is open.
-- $1 metric: integer, the schema's number of a layout.
-- $2 starts: bigint[], Unix seconds.
-- $3 ends: bigint[], Unix seconds; one a start.
-- Returns: no rows.
insert into throng.closed_period (metric_id, period_start, period_end)
select $1::integer,
    to_timestamp(start_seconds),
    to_timestamp(end_seconds)
from unnest($2::bigint[], $3::bigint[]) as period (start_seconds, end_seconds)
order by start_seconds
on conflict (metric_id, period_start) do nothing;
