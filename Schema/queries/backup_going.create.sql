-- Makes the tables of the days on which published numbers and values are deleted: the first on which any step takes them.
-- Returns: no rows.
create temporary table backup_going on commit drop as
select shape.release_id,
    shape.margin,
    (min(extract(epoch from r.period_end)::bigint + step.age) + 86399) / 86400 as day
from (
    select release_id, margin
    from throng.released_cell
    union
    select release_id, margin
    from throng.shown_margin
) as shape
join throng.release as r using (release_id)
join pg_temp.backup_step as step on step.metric_id = r.metric_id
    and (step.bit is null or (shape.margin >> step.bit) & 1 = 1)
    and (step.shorter is null or r.period_kind < step.shorter)
    and r.period_start < coalesce(step.began, 'infinity')
group by shape.release_id, shape.margin;
analyze pg_temp.backup_going;
create temporary table backup_label_going on commit drop as
select shape.release_id,
    shape.place,
    (min(extract(epoch from r.period_end)::bigint + step.age) + 86399) / 86400 as day
from (
    select distinct release_id, place
    from throng.shown_label
) as shape
join throng.release as r using (release_id)
join pg_temp.backup_step as step on step.metric_id = r.metric_id
    and (step.bit is null or shape.place = step.bit)
    and (step.shorter is null or r.period_kind < step.shorter)
    and r.period_start < coalesce(step.began, 'infinity')
group by shape.release_id, shape.place;
analyze pg_temp.backup_label_going;
