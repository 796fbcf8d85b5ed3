-- The contents of one file, only to the partner that it is for.
-- $1 app: text.
-- $2 partner: text.
-- $3 report: text.
-- $4 name: text, the file's.
-- Returns: contents; no row where the partner has no such file.
select f.contents
from throng.run_file as f
join throng.report_run as r using (app, report, period_kind, period_start)
where r.app = $1
    and r.partner = $2
    and f.report = $3
    and f.name = $4;
