-- Makes the partitions for the starts of periods where they are not there yet.
-- $1 kind: smallint, 0 hour, 1 day, 2 week, 3 month.
-- $2 starts: bigint[], Unix seconds.
-- Returns: one row, a number that callers leave aside.
select throng.ensure_partitions(
    $1::smallint,
    array(select to_timestamp(unix_seconds) from unnest($2::bigint[]) as unix_seconds));
