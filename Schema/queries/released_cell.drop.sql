-- Deletes published numbers that have reached their age.
-- $1 metric: integer, the schema's number of a layout.
-- $2 dimension: text, the one whose numbers go; null takes all.
-- $3 before: bigint, Unix seconds; the latest end of the periods.
-- Returns: one row, cells that went.
select throng.drop_released($1::integer, $2, to_timestamp($3::bigint));
