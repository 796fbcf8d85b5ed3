-- Notes that PostgreSQL has what a daemon acknowledged. Says so again every few seconds, so that
-- one can see who is alive, and since when something would be lost with it.
-- $1 daemon: uuid.
-- $2 fence: bigint, microseconds since 1970; the one under which this process attached.
-- $3 shard: smallint, the daemon's.
-- $4 asking: bigint, the one that it answers.
-- $5 read: bigint, Unix seconds; when the asking was read.
-- Returns: no rows.
update throng.watermark
set settled = $4::bigint,
    settled_at = now(),
    complete_at = greatest(complete_at, to_timestamp($5::bigint))
where shard = $3::smallint
    and daemon = $1::uuid
    and fence = $2::bigint
    and (
        settled < $4::bigint
        or settled_at is null
        or settled_at < now() - interval '5 seconds'
    );
