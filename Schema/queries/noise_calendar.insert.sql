-- Opens periods for noise, by the calendar and not by what was counted. A period in which an exact layout of the metric
-- was counted stays exact.
-- $1 app: text.
-- $2 metric: text, its name.
-- $3 kind: smallint, 0 hour, 1 day, 2 week, 3 month.
-- $4 metric: integer, the schema's number of a layout.
-- $5 starts: bigint[], Unix seconds.
-- $6 ends: bigint[], Unix seconds; one a start.
-- Returns: start (Unix seconds) of each that is new.
with wanted as (
    select to_timestamp(start_seconds) as period_start,
        to_timestamp(end_seconds) as period_end
    from unnest($5::bigint[], $6::bigint[]) as period (start_seconds, end_seconds)
), exact as (
    select period_start
    from (
        select metric_id, period_start
        from throng.open_period
        union all
        select metric_id, period_start
        from throng.closed_period
    ) as counted
    join throng.metric_layout as layout using (metric_id)
    where layout.app = $1
        and layout.metric = $2
        and layout.period_kind = $3::smallint
        and layout.layout ->> 'noise' is null
), claimed as (
    insert into throng.release_kind (app, metric, period_kind, period_start, kind, metric_id)
    select $1,
        $2,
        $3::smallint,
        period_start,
        1,
        $4::integer
    from wanted
    where period_start not in (select period_start from exact)
    order by period_start
    on conflict (app, metric, period_kind, period_start) do nothing
    returning period_start
)
insert into throng.open_period (metric_id, period_start, period_end)
select $4::integer,
    period_start,
    period_end
from wanted
join claimed using (period_start)
order by period_start
on conflict (metric_id, period_start) do nothing
returning extract(epoch from period_start)::bigint;
