-- Says which shard of the counters a daemon has, and where others reach it.
-- $1 daemon: uuid.
-- $2 address: text, URL; null where they can't.
-- $3 sent: integer, 1 where clients send to it and 0 otherwise; the first such daemon counts everything.
-- Returns: shard; null for a daemon that was retired.
select throng.enroll($1::uuid, $2::text, $3::integer::boolean);
