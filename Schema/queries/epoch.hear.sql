-- Notes that a daemon agrees to a proposal. The last one whose agreement it needs brings it into force.
-- $1 daemon: uuid.
-- $2 epoch: bigint.
-- Returns: one row of nothing.
select throng.hear_epoch($1::uuid, $2::bigint);
