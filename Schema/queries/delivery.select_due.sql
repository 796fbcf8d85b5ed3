-- Reports in folders, by where they are, and when the first of them goes as far as that is written down.
-- Returns: app, report, target (folder, a space, and where), Unix seconds, how many reports.
select delivery.app,
    delivery.report,
    delivery.target,
    extract(epoch from min(run.files_until))::bigint,
    count(*)
from throng.delivery as delivery
join throng.report_run as run using (app, report, period_kind, period_start)
where delivery.target like 'folder %'
    and delivery.state in ('sent', 'failed')
    and run.label is not null
    and run.files_until is not null
group by delivery.app, delivery.report, delivery.target
order by delivery.app, delivery.report, delivery.target;
