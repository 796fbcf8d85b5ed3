-- The runs whose files are here without a signature, the latest period first.
-- $1 ending: text, of a signature's name.
-- $2 most: bigint, runs.
-- Returns: app, label, report, partner, kind, start and end of the period, attempt, when the last try began and ended
--     (Unix seconds), outcome, detail.
select run.app,
    run.label,
    run.report,
    run.partner,
    run.period_kind,
    extract(epoch from run.period_start)::bigint,
    extract(epoch from run.period_end)::bigint,
    run.attempt,
    extract(epoch from run.started_at)::bigint,
    extract(epoch from run.finished_at)::bigint,
    run.outcome,
    run.detail
from throng.report_run as run
where exists (
        select from throng.run_file as file
        where (file.app, file.report, file.period_kind, file.period_start)
            = (run.app, run.report, run.period_kind, run.period_start)
    )
    and not exists (
        select from throng.run_file as file
        where (file.app, file.report, file.period_kind, file.period_start)
            = (run.app, run.report, run.period_kind, run.period_start)
            and right(file.name, length($1)) = $1
    )
order by run.period_start desc, run.app, run.report, run.period_kind
limit $2::bigint;
