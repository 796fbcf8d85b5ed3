-- Adds a flush to the counters of a daemon. Sorted by the key, so that new rows fill the index from left to right.
-- $1 shard: smallint, the daemon's.
-- Returns: no rows; as many are touched as the flush has counters.
insert into throng.counter as known (shard, period_kind, period_start, metric_id, measure, cell, value)
select $1::smallint,
    period_kind,
    period_start,
    metric_id,
    measure,
    cell,
    delta
from pg_temp.pending_counter
order by metric_id, period_kind, period_start, measure, cell
on conflict (shard, metric_id, period_kind, period_start, measure, cell) do update
set value = throng.saturating_add(known.value, excluded.value);
