-- Reports of an app in folders whose first number is too old by now, or was when they were made: of a report all whose period
-- ended before an instant, and without one those of which nobody has written down how long. Those of earlier versions, whose
-- names are not known, stay. Where several apps write files of the same names into one folder, they go with the first.
-- $1 app: text.
-- $2 before: bigint, Unix seconds; the latest end of the periods.
-- $3 now: bigint, Unix seconds.
-- $4 report: text; null takes those of which nobody has written down how long.
-- Returns: report, kind and start (Unix seconds) of the period, target (folder, a space, and where), label of the period.
select delivery.report,
    delivery.period_kind,
    extract(epoch from delivery.period_start)::bigint,
    delivery.target,
    run.label
from throng.delivery as delivery
join throng.report_run as run using (app, report, period_kind, period_start)
where delivery.app = $1
    and delivery.target like 'folder %'
    and delivery.state in ('sent', 'failed')
    and run.label is not null
    and (
        run.files_until <= to_timestamp($3::bigint)
        or run.period_end <= to_timestamp($2::bigint)
            and (run.report = $4 or $4 is null and run.files_until is null)
    )
order by delivery.target, delivery.report, delivery.period_start, delivery.period_kind;
