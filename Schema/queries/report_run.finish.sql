-- Ends a run that is not made. Only the process that made the last try may.
-- $1 app: text.
-- $2 report: text.
-- $3 kind: smallint, 0 hour, 1 day, 2 week, 3 month.
-- $4 start: bigint, Unix seconds; the first second of the period.
-- $5 attempt: integer, tries from 1; the one that was claimed.
-- $6 now: bigint, Unix seconds.
-- $7 outcome: text.
-- $8 detail: text, why; null for nothing.
-- Returns: no rows; one is touched where the try is still this process's.
update throng.report_run
set finished_at = greatest(to_timestamp($6::bigint), started_at),
    outcome = $7,
    detail = $8
where app = $1
    and report = $2
    and period_kind = $3::smallint
    and period_start = to_timestamp($4::bigint)
    and attempt = $5::integer
    and outcome = 'running';
