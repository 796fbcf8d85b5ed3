-- Ends the terms of layouts that the plan in force no longer has.
-- $1 kept: integer[], the schema's numbers of those that it has, of every plan of a daemon.
-- $2 ended: bigint, Unix seconds.
-- Returns: one row without a value.
select throng.retire_terms($1::integer[], $2::bigint);
