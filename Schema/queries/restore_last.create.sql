-- Makes the table of the last day on which numbers of each app went that are not in a backup any more.
-- Returns: no rows.
create temporary table restore_last on commit drop as
select app, max(day) as day
from pg_temp.restore_gone
join throng.release using (release_id)
group by app;
