-- Notes that age took the cells of releases which a backup has no more, as the original database did.
-- $1 metric: integer, the layout's.
-- $2 dimension: text, the one that the step drops; null for all numbers.
-- $3 age: bigint, seconds.
-- $4 shorter: smallint, a kind of period: only shorter ones went; null for all.
-- $5 began: bigint, Unix seconds: only periods that began earlier; null for all.
-- $6 app: text.
-- Returns: no rows.
with due as (
    select release_id,
        (extract(epoch from period_end)::bigint + $3::bigint + 86399) / 86400 as day
    from throng.release as r
    where metric_id = $1::integer
        and ($4::smallint is null or period_kind < $4::smallint)
        and period_start < coalesce(to_timestamp($5::bigint), 'infinity')
        and not exists (
            select from throng.decay as d
            where d.release_id = r.release_id
                and d.dropped in ($2, '*')
        )
), taken as (
    delete from pg_temp.restore_gone as gone
    using due
    where gone.release_id = due.release_id
        and gone.day = due.day
    returning gone.release_id, gone.cells
)
insert into throng.decay (release_id, dropped, cells)
select due.release_id, coalesce($2, '*'), coalesce(sum(taken.cells), 0)
from due
left join taken using (release_id)
where due.day <= (select last.day from pg_temp.restore_last as last where last.app = $6)
group by due.release_id;
