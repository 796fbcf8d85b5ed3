-- The last noisy period that the calendar has opened for a metric, null where there is none; and when its layout was
-- met.
-- $1 app: text.
-- $2 metric: text, its name.
-- $3 kind: smallint, 0 hour, 1 day, 2 week, 3 month.
-- $4 metric: integer, the schema's number of a layout.
-- Returns: start of the period, when the layout was met (both Unix seconds).
select extract(epoch from (
        select max(period_start)
        from throng.release_kind
        where app = $1
            and metric = $2
            and period_kind = $3::smallint
            and kind = 1
    ))::bigint,
    extract(epoch from created_at)::bigint
from throng.metric_layout
where metric_id = $4::integer;
