-- Adds a flush to the counters. Sorted by the key: daemons take the rows' locks in one order, and new rows fill the
-- index from left to right.
-- Returns: no rows; as many are touched as the flush has counters.
insert into throng.counter as known (shard, period_kind, period_start, metric_id, measure, cell, value)
select 0,
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
