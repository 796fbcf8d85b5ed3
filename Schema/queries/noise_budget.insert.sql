insert into throng.noise_budget
    (app, purpose, slot_start, slot_end, currency, total_numerator, total_denominator)
values (
    $1,
    $2,
    to_timestamp($3::bigint),
    to_timestamp($4::bigint),
    $5::smallint,
    $6::numeric,
    $7::numeric)
on conflict (app, purpose, slot_start, slot_end, currency) do nothing;
