-- Writes down that age took the files of a delivery from its folder, once.
-- $1 app: text.
-- $2 report: text.
-- $3 kind: smallint, 0 hour, 1 day, 2 week, 3 month.
-- $4 start: bigint, Unix seconds; the first second of the period.
-- $5 target: text, folder, a space, and where.
-- $6 files: bigint, how many there were.
-- Returns: a row without a value where nobody had written it down.
with gone as (
    update throng.delivery
    set state = 'removed'
    where app = $1
        and report = $2
        and period_kind = $3::smallint
        and period_start = to_timestamp($4::bigint)
        and target = $5
        and state in ('sent', 'failed')
    returning app, report, period_kind, period_start
)
select throng.note_deletion(
    $1, 'copies', $2, 'with the first number in them', run.period_start, run.period_end, $6::bigint)
from gone
join throng.report_run as run using (app, report, period_kind, period_start);
