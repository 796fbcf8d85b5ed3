-- Takes an open period away once it is released.
-- $1 metric: integer, the schema's number of a layout.
-- $2 start: bigint, Unix seconds; the first second of the period.
-- Returns: no rows.
delete from throng.open_period
where metric_id = $1::integer
    and period_start = to_timestamp($2::bigint);
