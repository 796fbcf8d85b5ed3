-- The last noisy period that the calendar has opened for a metric; null where there is none.
select extract(epoch from max(period_start))::bigint
from throng.release_kind
where app = $1
    and metric = $2
    and period_kind = $3::smallint
    and kind = 1;
