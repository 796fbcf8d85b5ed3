-- Only to the partner that it is for.
select f.contents
from throng.run_file as f
join throng.report_run as r using (app, report, period_kind, period_start)
where r.app = $1
    and r.partner = $2
    and f.report = $3
    and f.name = $4;
