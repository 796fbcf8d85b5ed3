-- The apps of which files of reports, or totals of what clients sent, are kept.
-- Returns: app.
select app
from throng.run_file
union
select app
from throng.coverage
order by app;
