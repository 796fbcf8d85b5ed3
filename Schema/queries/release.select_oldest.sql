-- The oldest numbers of each metric of an app that are still there, in part or whole, whatever was promised of them.
-- $1 app: text.
-- Returns: metric, when the oldest period ended (Unix seconds), how many releases have numbers; by metric.
select r.metric,
    extract(epoch from min(r.period_end))::bigint,
    count(*)
from throng.release as r
where r.app = $1
    and not exists (
        select from throng.decay as d
        where d.release_id = r.release_id
            and d.dropped = '*'
    )
group by r.metric
order by r.metric;
