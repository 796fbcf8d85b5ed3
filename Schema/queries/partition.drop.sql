-- Drops the partitions of raw counters and of distinct counts that are needed no longer.
-- $1 counters: bigint, Unix seconds; of counters whose periods ended before it and were all released.
-- $2 distinct: bigint, Unix seconds; the same of distinct counts.
-- $3 abandoned: bigint, Unix seconds; of periods that ended before it, released or not.
-- Returns: the names of the tables that went.
select throng.drop_partitions(
    to_timestamp($1::bigint),
    to_timestamp($2::bigint),
    to_timestamp($3::bigint));
