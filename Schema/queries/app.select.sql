-- Apps of which anything is kept, or was deleted.
-- Returns: app, whether anything is kept (1 or 0), when it was deleted last (Unix seconds, or null); by app.
select app,
    max(kept),
    extract(epoch from max(deleted))::bigint
from (
    select app, 1 as kept, null::timestamptz as deleted
    from throng.metric_layout
    union all
    select app, 1, null
    from throng.report_run
    union all
    select app, 1, null
    from throng.coverage
    union all
    select app, 1, null
    from throng.revealed_label
    union all
    select app, 1, null
    from throng.access_token
    where app is not null
    union all
    select app, 0, taken_at
    from throng.deletion
    where subject = 'everything'
) as known
group by app
order by app;
