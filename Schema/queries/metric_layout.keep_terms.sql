-- Keeps the terms under which a layout is released.
-- $1 metric: integer, the schema's number of a layout.
-- $2 k: bigint, devices.
-- $3 sensitive: text, names of dimensions separated by commas.
-- $4 protection: smallint, percent.
-- $5 margin: text, how far off numbers are on purpose; null where they are exact.
-- Returns: one row without a value.
select throng.keep_terms(
    $1::integer,
    $2::bigint,
    string_to_array($3, ','),
    $4::smallint,
    $5);
