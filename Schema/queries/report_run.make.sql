-- Only the process that made the last try may say that it is made.
update throng.report_run
set outcome = 'made',
    label = $5,
    detail = $6
where app = $1
    and report = $2
    and period_start = to_timestamp($3::bigint)
    and attempt = $4::integer
    and outcome = 'running';
