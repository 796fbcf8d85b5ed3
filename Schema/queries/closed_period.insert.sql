-- Closes a period for its release.
-- $1 metric: integer, the schema's number of a layout.
-- $2 start: bigint, Unix seconds; the first second of the period.
-- $3 end: bigint, Unix seconds; the first second after the period.
-- Returns: metric; no row where the period was released before.
insert into throng.closed_period (metric_id, period_start, period_end)
values ($1::integer, to_timestamp($2::bigint), to_timestamp($3::bigint))
on conflict (metric_id, period_start) do nothing
returning metric_id;
