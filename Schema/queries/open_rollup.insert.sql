insert into throng.open_rollup (metric_id, period_kind, period_start, period_end)
values ($1::integer, $2::smallint, to_timestamp($3::bigint), to_timestamp($4::bigint))
on conflict (metric_id, period_kind, period_start) do nothing;
