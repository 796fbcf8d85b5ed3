-- Says that a run is made. Only the process that made the last try may.
-- $1 app: text.
-- $2 report: text.
-- $3 kind: smallint, 0 hour, 1 day, 2 week, 3 month.
-- $4 start: bigint, Unix seconds; the first second of the period.
-- $5 attempt: integer, tries from 1; the one that was claimed.
-- $6 label: text, what it covers as file names have it.
-- $7 detail: text, what could not be made; null for nothing.
-- $8 until: bigint, Unix seconds; when the first number in it may be kept no longer.
-- Returns: no rows; one is touched where the try is still this process's.
update throng.report_run
set outcome = 'made',
    label = $6,
    detail = $7,
    files_until = to_timestamp($8::bigint)
where app = $1
    and report = $2
    and period_kind = $3::smallint
    and period_start = to_timestamp($4::bigint)
    and attempt = $5::integer
    and outcome = 'running';
