-- What is still there besides released numbers, of every app, and when it goes as far as a date is written down.
-- Returns: app (* where it is of several apps' together), kind, subject, how many rows (null where nobody counts them), the
--     first second that it is about and the first after (Unix seconds, or nulls), when the first of it goes (Unix seconds, or
--     null where it goes by what is released, or by the shortest age of the app).
select app,
    kind,
    subject,
    rows,
    extract(epoch from first)::bigint,
    extract(epoch from after)::bigint,
    extract(epoch from due)::bigint
from (
    select run.app, 'files' as kind, run.report as subject, count(*) as rows, min(run.period_start) as first,
        max(run.period_end) as after, min(run.files_until) as due
    from throng.run_file as file
    join throng.report_run as run using (app, report, period_kind, period_start)
    group by run.app, run.report
    union all
    select delivery.app, 'copies', delivery.report, count(*), min(run.period_start), max(run.period_end), min(run.files_until)
    from throng.delivery as delivery
    join throng.report_run as run using (app, report, period_kind, period_start)
    where delivery.target like 'folder %'
        and delivery.state in ('sent', 'failed')
    group by delivery.app, delivery.report
    union all
    select app, 'coverage', 'events', count(*), min(hour), max(hour) + interval '1 hour', null
    from throng.coverage
    group by app
    union all
    select app, 'labels', dimension, count(*), null, null, null
    from throng.revealed_label
    group by app, dimension
    union all
    select layout.app, 'open periods', layout.metric, count(*), min(open.period_start), max(open.period_end), null
    from throng.open_period as open
    join throng.metric_layout as layout using (metric_id)
    group by layout.app, layout.metric
    union all
    select asked.app, 'questions', 'readers', count(*), null, null,
        min(least(asked.asked_at + interval '180 days', asked.declined_at + interval '30 days', token.expires_at))
    from throng.asked_number as asked
    join throng.access_token as token using (token_id)
    group by asked.app
    union all
    select '*', 'counters', tree.relid::regclass::text, null, null, null, null
    from (
        select * from pg_partition_tree('throng.counter')
        union all
        select * from pg_partition_tree('throng.distinct_count')
    ) as tree
    where tree.isleaf
        and tree.parentrelid is not null
) as held
order by app, kind, subject;
