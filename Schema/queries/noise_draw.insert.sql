-- Reserves a draw: from here on it is paid for.
-- $1 metric: integer, the schema's number of a layout.
-- $2 app: text.
-- $3 metric: text, its name.
-- $4 purpose: text.
-- $5 kind: smallint, 0 hour, 1 day, 2 week, 3 month.
-- $6 start: bigint, Unix seconds; the first second of the period.
-- $7 end: bigint, Unix seconds; the first second after the period.
-- $8 slots: bigint[], Unix seconds; where the budgets begin that pay.
-- $9 mechanism: smallint, 0 discrete Laplace, 1 discrete Gaussian.
-- $10 parameter numerator: numeric, of a fraction in the currency.
-- $11 parameter denominator: numeric, of the same.
-- $12 cost numerator: numeric, of a fraction in the currency.
-- $13 cost denominator: numeric, of the same.
-- $14 cells: integer, cells.
-- $15 header: json, of the release.
-- Returns: no rows.
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
