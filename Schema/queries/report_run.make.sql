-- Only the process that made the last try may say that it is made. $8: when the first number in it may be kept no longer.
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
