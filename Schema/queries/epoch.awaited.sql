-- Who has not agreed to a proposal yet.
-- $1 epoch: bigint.
-- Returns: daemon, by shard.
select member.daemon::text
from throng.concerned($1::bigint)
join throng.member using (shard)
where member.heard < $1::bigint
order by member.shard;
