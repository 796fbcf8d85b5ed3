-- What one partner has, by report, the latest period first.
-- $1 app: text.
-- $2 partner: text.
-- Returns: report, kind, start and end of the period (Unix seconds), name, bytes, when it was made (Unix seconds).
select f.report,
    r.period_kind,
    extract(epoch from r.period_start)::bigint,
    extract(epoch from r.period_end)::bigint,
    f.name,
    octet_length(f.contents)::bigint,
    extract(epoch from r.started_at)::bigint
from throng.run_file as f
join throng.report_run as r using (app, report, period_kind, period_start)
where r.app = $1
    and r.partner = $2
    -- The words of mails are no file of its own.
    and f.name not like '%.mail'
order by f.report, r.period_start desc, r.period_kind, f.place;
