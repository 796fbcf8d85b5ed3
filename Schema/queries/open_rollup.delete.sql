-- Takes an open rollup away once it is released.
-- $1 metric: integer, the schema's number of a layout.
-- $2 kind: smallint, 0 hour, 1 day, 2 week, 3 month.
-- $3 start: bigint, Unix seconds; the first second of the period.
-- Returns: metric; no row where it was released or given up before.
delete from throng.open_rollup
where metric_id = $1::integer
    and period_kind = $2::smallint
    and period_start = to_timestamp($3::bigint)
returning metric_id;
