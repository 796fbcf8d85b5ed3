-- The first sight of a daemon starts it at 0; every attachment moves the fence from the one that was found to a higher
-- one, which locks out earlier processes. What its journal holds is not in the counters until it says so.
-- $1 daemon: uuid.
-- $2 fence: bigint, microseconds since 1970; the new one.
-- $3 found: bigint, microseconds since 1970; the fence that was found, 0 for none.
-- $4 holder: text, what proves later that this process is gone; null for nothing.
-- $5 shard: smallint, the daemon's.
-- $6 still: bigint, batches; where another process may have the place, how far its journal was when it was heard of last: nothing
--     is touched where it has flushed since, or has heard of the claim. Null where nobody has the place.
-- Returns: how far the journal is in the counters (batches); no row where another process was faster, or has announced
--     itself since.
insert into throng.watermark as known (shard, daemon, position, fence, holder)
values ($5::smallint, $1::uuid, 0, $2::bigint, $4)
on conflict (shard, daemon) do update
set fence = excluded.fence,
    holder = excluded.holder,
    claim = null,
    attached_at = excluded.attached_at,
    settled = 0
where known.fence = $3::bigint
    and coalesce(known.claim, 0) <= $2::bigint
    and ($6::bigint is null or (known.position = $6::bigint and known.claim = $2::bigint))
returning position;
