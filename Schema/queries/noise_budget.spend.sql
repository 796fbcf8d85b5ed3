-- Writes down what of a budget is spent.
-- $1 app: text.
-- $2 purpose: text.
-- $3 slot start: bigint, Unix seconds; the first second of the budget's time.
-- $4 slot end: bigint, Unix seconds; the first second after it.
-- $5 currency: smallint, 0 epsilon, 1 rho.
-- $6 total numerator: numeric, of a fraction in the currency.
-- $7 total denominator: numeric, of the same.
-- $8 spent numerator: numeric, of a fraction in the currency.
-- $9 spent denominator: numeric, of the same.
-- Returns: no rows; one is touched where there is such a budget.
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
