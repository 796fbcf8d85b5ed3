-- Replaces the largest contributions of which a flush says that somebody was taken out.
-- $1 daemon: uuid.
-- $2 shard: smallint, the daemon's.
-- Returns: no rows; as many are touched as the flush has such pairs.
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
    largest,
    second_largest
from pg_temp.pending_top
where replaces
order by metric_id, period_start, margin, cell, measure, window_number, counted_start
on conflict (shard, metric_id, period_start, margin, cell, measure, window_number, daemon, counted_start) do update
set largest = excluded.largest,
    second_largest = excluded.second_largest;
