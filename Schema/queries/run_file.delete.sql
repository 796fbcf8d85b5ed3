-- The files of runs whose period ended before an instant; where a delivery is pending they stay.
delete from throng.run_file as f
using throng.report_run as r
where r.app = $1
    and r.period_end < to_timestamp($2::bigint)
    and r.finished_at is not null
    and f.app = r.app
    and f.report = r.report
    and f.period_kind = r.period_kind
    and f.period_start = r.period_start;
