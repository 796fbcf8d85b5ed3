-- Counts the published cells of each release that are deleted on each day.
-- Returns: app, release, day since 1970, cells.
select app, release_id, day, count(*)
from throng.released_cell
join pg_temp.backup_going using (release_id, margin)
join throng.release using (release_id)
group by app, release_id, day
order by release_id, day;
