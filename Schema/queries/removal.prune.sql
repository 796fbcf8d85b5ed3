-- Deletes what a removal has brought to nothing.
-- $1 shard: smallint, the daemon's.
-- $2 metrics: bigint[], the schema's numbers of layouts.
-- $3 starts: bigint[], Unix seconds; one a metric: the first second of the period.
-- Returns: nothing.
select throng.prune(
    $1::smallint, $2::bigint[]::integer[], array(select to_timestamp(start) from unnest($3::bigint[]) as start));
