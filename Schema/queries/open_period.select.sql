-- The open periods of an app, by their end.
-- $1 app: text.
-- Returns: layout's identity (32 bytes), layout (JSON), start and end of the period (Unix seconds).
select layout.layout_id,
    layout.layout,
    extract(epoch from open.period_start)::bigint,
    extract(epoch from open.period_end)::bigint
from throng.open_period as open
join throng.metric_layout as layout using (metric_id)
where layout.app = $1
-- Of periods that end together the finer ones come first: coarser ones of the same events are decided against them.
order by open.period_end, layout.period_kind, open.metric_id;
