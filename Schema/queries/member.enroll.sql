-- Says which shard of the counters a daemon has, and where others reach it.
-- $1 daemon: uuid.
-- $2 address: text, URL; null where they can't.
-- $3 takes_batches: boolean, as 0 or 1: whether clients send to it. The first such daemon counts everything.
-- Returns: shard; null for a daemon that was retired.
select throng.enroll($1::uuid, $2::text, $3::integer::boolean);
