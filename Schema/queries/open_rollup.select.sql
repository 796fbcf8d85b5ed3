-- The open rollups of an app, finer ones first, with whether a period within it still waits for its own release.
-- $1 app: text.
-- Returns: layout's identity (32 bytes), layout (JSON), kind, start and end of the period (Unix seconds), whether a
--     part is open.
select layout.layout_id,
    layout.layout,
    open.period_kind,
    extract(epoch from open.period_start)::bigint,
    extract(epoch from open.period_end)::bigint,
    exists (
        select
        from throng.open_period as part
        where part.metric_id = open.metric_id
            and part.period_start >= open.period_start
            and part.period_start < open.period_end
    ) or exists (
        select
        from throng.open_rollup as part
        where part.metric_id = open.metric_id
            and part.period_kind < open.period_kind
            and part.period_start >= open.period_start
            and part.period_start < open.period_end
    )
from throng.open_rollup as open
join throng.metric_layout as layout using (metric_id)
where layout.app = $1
order by open.period_kind, open.period_end, open.metric_id;
