update throng.noise_budget
set total_numerator = $6::numeric,
    total_denominator = $7::numeric,
    spent_numerator = $8::numeric,
    spent_denominator = $9::numeric
where app = $1
    and purpose = $2
    and slot_start = to_timestamp($3::bigint)
    and slot_end = to_timestamp($4::bigint)
    and currency = $5::smallint;
