-- Only the process that made the last try may say that it is made.
update throng.report_run
set outcome = 'made',
    label = $6,
    detail = $7
where app = $1
    and report = $2
    and period_kind = $3::smallint
    and period_start = to_timestamp($4::bigint)
    and attempt = $5::integer
    and outcome = 'running';
