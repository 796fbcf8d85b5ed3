insert into throng.noise_draw (
    metric_id, app, metric, purpose, period_kind, period_start, period_end, slots, mechanism, parameter_numerator,
    parameter_denominator, cost_numerator, cost_denominator, cells, header)
values (
    $1::integer,
    $2,
    $3,
    $4,
    $5::smallint,
    to_timestamp($6::bigint),
    to_timestamp($7::bigint),
    array(select to_timestamp(slot) from unnest($8::bigint[]) as slot order by slot),
    $9::smallint,
    $10::numeric,
    $11::numeric,
    $12::numeric,
    $13::numeric,
    $14::integer,
    $15::json);
