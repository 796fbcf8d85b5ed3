-- The apps of which layouts, files of reports, here or in folders, or totals of what clients sent, are kept.
-- Returns: app.
select app
from throng.metric_layout
union
select app
from throng.run_file
union
select app
from throng.delivery
where target like 'folder %'
    and state in ('sent', 'failed')
union
select app
from throng.coverage
order by app;
