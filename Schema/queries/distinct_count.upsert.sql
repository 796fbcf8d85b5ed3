-- Adds a flush to the distinct counts. Sorted by the key, as in counter.upsert.
-- $1 shard: smallint, the daemon's.
-- Returns: no rows; as many are touched as the flush has distinct counts.
insert into throng.distinct_count as known
    (shard, period_kind, period_start, metric_id, margin, cell, window_number, devices)
select $1::smallint,
    period_kind,
    period_start,
    metric_id,
    margin,
    cell,
    window_number,
    delta
from pg_temp.pending_distinct
order by metric_id, period_kind, period_start, margin, cell, window_number
on conflict (shard, metric_id, period_kind, period_start, margin, cell, window_number) do update
set devices = throng.saturating_add(known.devices, excluded.devices);
