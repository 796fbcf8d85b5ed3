-- The layouts of an app that have open periods or rollups, and when the first of each is over.
-- $1 app: text.
-- Returns: layout's identity (32 bytes), layout (JSON), the first end (Unix seconds).
select layout.layout_id,
    layout.layout,
    extract(epoch from min(open.period_end))::bigint
from (
    select metric_id, period_end
    from throng.open_period
    union all
    select metric_id, period_end
    from throng.open_rollup
) as open
join throng.metric_layout as layout using (metric_id)
where layout.app = $1
group by layout.metric_id
order by layout.metric_id;
