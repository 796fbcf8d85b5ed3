-- Only the process that made the last try may finish it.
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
