-- Deletes what a removal has brought to nothing.
-- $1 metrics: bigint[], the schema's numbers of layouts.
-- $2 starts: bigint[], Unix seconds; one a metric: the first second of the period.
-- Returns: nothing.
select throng.prune($1::bigint[]::integer[], array(select to_timestamp(start) from unnest($2::bigint[]) as start));
