-- The runs of an app or of all, of one report or of all, by period.
-- $1 app: text; null takes all.
-- $2 report: text; null takes all.
-- Returns: app, label, report, partner, kind, start and end of the period, attempt, when the last try began and ended
--     (Unix seconds), outcome, detail.
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
where ($1::text is null or app = $1)
    and ($2::text is null or report = $2)
order by period_start, app, report;
