-- Notes a step that deletes numbers of a layout.
-- $1 metric: integer, the layout's.
-- $2 bit: integer, the place of the dimension that it drops; null for all numbers.
-- $3 shorter: smallint, a kind of period: only shorter ones go; null for all.
-- $4 age: bigint, seconds.
-- $5 began: bigint, Unix seconds: only periods that began earlier; null for all.
-- Returns: no rows.
insert into pg_temp.backup_step
values ($1::integer, $2::integer, $3::smallint, $4::bigint, to_timestamp($5::bigint));
