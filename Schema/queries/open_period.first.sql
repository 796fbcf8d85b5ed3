-- When the first open period or rollup of an app is over; null where there is none.
-- $1 app: text.
-- Returns: one row, an instant (Unix seconds).
select extract(epoch from min(open.period_end))::bigint
from (
    select metric_id, period_end
    from throng.open_period
    union all
    select metric_id, period_end
    from throng.open_rollup
) as open
join throng.metric_layout as layout using (metric_id)
where layout.app = $1;
