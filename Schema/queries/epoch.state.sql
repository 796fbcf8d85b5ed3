-- What became of a proposal.
-- $1 epoch: bigint.
-- Returns: proposed, in force or void.
select state
from throng.epoch
where epoch = $1::bigint;
