insert into throng.kept_period (metric_id, period_kind, period_start, period_end, waits_for)
select $1::integer,
    $2::smallint,
    to_timestamp($3::bigint),
    to_timestamp($4::bigint),
    -- Names hold no comma.
    string_to_array($5, ',')
on conflict (metric_id, period_start) do nothing;
