-- Keeps the distinct counts and largest contributions of a released period for metrics that count the same events.
-- $1 metric: integer, the schema's number of a layout.
-- $2 kind: smallint, 0 hour, 1 day, 2 week, 3 month.
-- $3 start: bigint, Unix seconds; the first second of the period.
-- $4 end: bigint, Unix seconds; the first second after the period.
-- $5 metrics: text, names separated by commas; those that it waits for.
-- Returns: no rows.
insert into throng.kept_period (metric_id, period_kind, period_start, period_end, waits_for)
select $1::integer,
    $2::smallint,
    to_timestamp($3::bigint),
    to_timestamp($4::bigint),
    -- Names hold no comma.
    string_to_array($5, ',')
on conflict (metric_id, period_start) do nothing;
