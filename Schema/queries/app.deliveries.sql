-- Where reports of an app went, or were to go.
-- $1 app: text.
-- Returns: target (folder, put or post, a space, and where), report, label of the period (null in runs of earlier versions),
--     whether another app has a report of that name and period in the same folder (1 or 0).
select delivery.target,
    delivery.report,
    run.label,
    exists (
        select from throng.delivery as other
        join throng.report_run as theirs using (app, report, period_kind, period_start)
        where other.app <> $1
            and other.target = delivery.target
            and other.report = delivery.report
            and theirs.label is not distinct from run.label
    )::integer
from throng.delivery as delivery
join throng.report_run as run using (app, report, period_kind, period_start)
where delivery.app = $1
order by delivery.target, delivery.report, run.label;
