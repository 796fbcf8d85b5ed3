-- A run of which deliveries are made again.
update throng.report_run
set outcome = 'made',
    finished_at = null
where app = $1
    and report = $2
    and period_start = to_timestamp($3::bigint)
    and outcome in ('delivered', 'undelivered')
    and exists (
        select from throng.delivery as d
        where d.app = $1 and d.report = $2 and d.period_start = to_timestamp($3::bigint) and d.state = 'pending'
    );
