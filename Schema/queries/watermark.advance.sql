-- Moves the watermark of a flush. Must touch exactly one row; none means that this flush is not the next one.
-- $1 daemon: uuid.
-- $2 after: bigint, batches; how far the journal was flushed before.
-- $3 through: bigint, batches; how far it is with this flush.
-- $4 fence: bigint, microseconds since 1970; the one under which this process attached.
-- $5 shard: smallint, the daemon's.
-- Returns: no rows; one is touched where the flush is the next one.
update throng.watermark
set position = $3::bigint,
    advanced_at = now()
where shard = $5::smallint
    and daemon = $1::uuid
    and position = $2::bigint
    and fence = $4::bigint;
