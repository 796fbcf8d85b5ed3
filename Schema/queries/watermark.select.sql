-- What is known of a daemon.
-- $1 daemon: uuid.
-- Returns: how far the journal is in the counters (batches), fence, holder, claim, shard; no row where it was never seen.
select position,
    fence,
    holder,
    claim,
    shard
from throng.watermark
where daemon = $1::uuid;
