-- Closed periods of one metric from an instant on.
select extract(epoch from period_start)::bigint
from throng.closed_period
where metric_id = $1::integer
    and period_start >= to_timestamp($2::bigint);
