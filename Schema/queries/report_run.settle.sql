-- Ends a run that is made once none of its deliveries is pending.
update throng.report_run as run
set outcome = case
        when exists (
            select from throng.delivery as d
            where d.app = $1 and d.report = $2 and d.period_start = run.period_start and d.state = 'failed'
        ) then 'undelivered'
        else 'delivered'
    end,
    finished_at = greatest(to_timestamp($4::bigint), started_at)
where app = $1
    and report = $2
    and period_start = to_timestamp($3::bigint)
    and outcome in ('made', 'undelivered')
    and not exists (
        select from throng.delivery as d
        where d.app = $1 and d.report = $2 and d.period_start = run.period_start and d.state = 'pending'
    );
