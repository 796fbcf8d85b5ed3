-- Opens a budget that is not there yet.
-- $1 app: text.
-- $2 purpose: text.
-- $3 slot start: bigint, Unix seconds; the first second of the budget's time.
-- $4 slot end: bigint, Unix seconds; the first second after it.
-- $5 currency: smallint, 0 epsilon, 1 rho.
-- $6 total numerator: numeric, of a fraction in the currency.
-- $7 total denominator: numeric, of the same.
-- Returns: no rows.
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
