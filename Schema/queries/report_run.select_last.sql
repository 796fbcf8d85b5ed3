-- The runs that began last, and of each report the one of its latest period.
-- $1 most: bigint, runs.
-- Returns: app, label, report, partner, kind, start and end of the period, attempt, when the last try began and ended
--     (Unix seconds), outcome, detail.
with latest as (
    select distinct on (app, report) app,
        report,
        period_kind,
        period_start
    from throng.report_run
    order by app, report, period_start desc, period_kind desc
),
last as (
    select app,
        report,
        period_kind,
        period_start
    from throng.report_run
    order by started_at desc, app, report, period_kind, period_start
    limit $1::bigint
),
chosen as (
    select * from latest
    union
    select * from last
)
select app,
    label,
    report,
    partner,
    period_kind,
    extract(epoch from period_start)::bigint,
    extract(epoch from period_end)::bigint,
    attempt,
    extract(epoch from started_at)::bigint,
    extract(epoch from finished_at)::bigint,
    outcome,
    detail
from throng.report_run
join chosen using (app, report, period_kind, period_start)
order by started_at desc, app, report, period_kind, period_start;
