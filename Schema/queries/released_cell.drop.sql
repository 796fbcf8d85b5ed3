-- Deletes published numbers that have reached their age.
-- $1 metric: integer, the schema's number of a layout.
-- $2 dimension: text, the one whose numbers go; null takes all.
-- $3 shorter: smallint, a kind of period; of releases of shorter ones only. Null takes all.
-- $4 before: bigint, Unix seconds; the latest end of the periods.
-- $5 began: bigint, Unix seconds; the periods began before it. Null takes all.
-- $6 term: text, by which promise.
-- Returns: one row, cells that went.
select throng.drop_released(
    $1::integer,
    $2,
    $3::smallint,
    to_timestamp($4::bigint),
    to_timestamp($5::bigint),
    $6);
