-- Adds the largest contributions of a flush. Pairs replace pairs, and never shrink: a daemon that knows less than it
-- once did must not make dominance look smaller; but where somebody was taken out, whose they may have been. Sorted by the key,
-- as in counter.upsert.
-- $1 daemon: uuid.
-- $2 shard: smallint, the daemon's.
-- Returns: no rows; as many are touched as the flush has pairs.
insert into throng.top_contribution as known
    (shard, metric_id, period_start, margin, cell, measure, window_number, daemon, counted_start, largest, second_largest)
select $2::smallint,
    metric_id,
    period_start,
    margin,
    cell,
    measure,
    window_number,
    $1::uuid,
    counted_start,
    max(largest),
    max(second_largest)
from pg_temp.pending_top
where not replaces
group by metric_id, period_start, margin, cell, measure, window_number, counted_start
order by metric_id, period_start, margin, cell, measure, window_number, counted_start
on conflict (shard, metric_id, period_start, margin, cell, measure, window_number, daemon, counted_start) do update
set largest = greatest(known.largest, excluded.largest),
    second_largest = greatest(known.second_largest, excluded.second_largest);
