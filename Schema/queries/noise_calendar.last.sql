-- The last noisy period that the calendar has opened for a metric, null where there is none; and when its layout was met.
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
