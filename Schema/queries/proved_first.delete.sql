-- Forgets the tags of a period that is released.
-- $1 metric: integer, the schema's number of a layout.
-- $2 kind: smallint, 0 hour, 1 day, 2 week, 3 month.
-- $3 start: bigint, Unix seconds; the first second of the period.
-- Returns: no rows.
delete from throng.proved_first
where metric_id = $1::integer
    and period_kind = $2::smallint
    and period_start = to_timestamp($3::bigint);
