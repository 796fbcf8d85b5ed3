-- Deletes the files of an app's runs whose first number is too old by now, or was when they were made: of a report all
-- whose period ended before an instant, and without one those of which nobody has written down how long. Where a
-- delivery is pending they stay.
-- $1 app: text.
-- $2 before: bigint, Unix seconds; the latest end of the periods.
-- $3 now: bigint, Unix seconds.
-- $4 report: text; null takes files of which nobody has written down how long.
-- Returns: a row without a value for each report of which something went.
with gone as (
    delete from throng.run_file as f
    using throng.report_run as r
    where r.app = $1
        and r.finished_at is not null
        and (
            r.files_until <= to_timestamp($3::bigint)
            or r.period_end <= to_timestamp($2::bigint)
                and (r.report = $4 or $4 is null and r.files_until is null)
        )
        and f.app = r.app
        and f.report = r.report
        and f.period_kind = r.period_kind
        and f.period_start = r.period_start
    returning f.report, r.period_start, r.period_end
)
select throng.note_deletion(
    $1, 'files', report, 'with the first number in them', min(period_start), max(period_end), count(*))
from gone
group by report;
