-- Opens periods by the calendar, and not only by what is counted; those that were released already stay closed.
-- $1 metric: integer, the schema's number of a layout.
-- $2 starts: bigint[], Unix seconds.
-- $3 ends: bigint[], Unix seconds; one a start.
-- Returns: no rows.
insert into throng.open_period (metric_id, period_start, period_end)
select $1::integer,
    to_timestamp(start_seconds),
    to_timestamp(end_seconds)
from unnest($2::bigint[], $3::bigint[]) as period (start_seconds, end_seconds)
where not exists (
    select
    from throng.closed_period as closed
    where closed.metric_id = $1::integer
        and closed.period_start = to_timestamp(start_seconds)
)
order by start_seconds
on conflict (metric_id, period_start) do nothing;
