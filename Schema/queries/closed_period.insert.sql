-- No row comes back where the period was released before.
insert into throng.closed_period (metric_id, period_start, period_end)
values ($1::integer, to_timestamp($2::bigint), to_timestamp($3::bigint))
on conflict (metric_id, period_start) do nothing
returning metric_id;
