-- What is known of a daemon.
-- $1 daemon: uuid.
-- Returns: how far the journal is in the counters (batches), fence, holder, claim; no row where it was never seen.
select position,
    fence,
    holder,
    claim
from throng.watermark
where daemon = $1::uuid;
