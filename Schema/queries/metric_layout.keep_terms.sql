-- Keeps k of a layout's releases.
-- $1 metric: integer, the schema's number of a layout.
-- $2 k: bigint, devices.
-- Returns: one row without a value.
select throng.keep_terms(
    $1::integer,
    $2::bigint);
