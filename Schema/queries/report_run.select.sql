select report,
    partner,
    period_kind,
    extract(epoch from period_start)::bigint,
    extract(epoch from period_end)::bigint,
    attempt,
    extract(epoch from started_at)::bigint,
    extract(epoch from finished_at)::bigint,
    outcome,
    detail,
    app,
    label
from throng.report_run
where ($1::text is null or app = $1)
    and ($2::text is null or report = $2)
order by period_start, app, report;
