-- Gives the place back: whoever comes next need not wait.
-- $1 daemon: uuid.
-- $2 fence: bigint, microseconds since 1970; the one under which this process attached.
-- $3 shard: smallint, the daemon's.
-- Returns: no rows.
update throng.watermark
set holder = null
where shard = $3::smallint
    and daemon = $1::uuid
    and fence = $2::bigint;
