-- Only the process that made the last try may finish it.
update throng.report_run
set finished_at = greatest(to_timestamp($5::bigint), started_at),
    outcome = $6,
    detail = $7
where app = $1
    and report = $2
    and period_start = to_timestamp($3::bigint)
    and attempt = $4::integer
    and outcome = 'running';
