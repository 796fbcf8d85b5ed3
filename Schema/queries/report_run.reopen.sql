-- A run of which deliveries are made again.
-- $1 app: text.
-- $2 report: text.
-- $3 kind: smallint, 0 hour, 1 day, 2 week, 3 month.
-- $4 start: bigint, Unix seconds; the first second of the period.
-- Returns: no rows.
update throng.report_run as run
set outcome = 'made',
    finished_at = null
where app = $1
    and report = $2
    and period_kind = $3::smallint
    and period_start = to_timestamp($4::bigint)
    and outcome in ('delivered', 'undelivered')
    and exists (
        select from throng.delivery as d
        where d.app = run.app
            and d.report = run.report
            and d.period_kind = run.period_kind
            and d.period_start = run.period_start
            and d.state = 'pending'
    );
