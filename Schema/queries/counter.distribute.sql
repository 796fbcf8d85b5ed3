-- Hands the counters over to the nodes of a cluster of Citus, with what they hold.
-- $1 parts: integer; into how many parts they are hashed by shard.
-- Returns: one row: what is in the way (no extension, distributed, no nodes); null where it was done.
select throng.distribute($1::integer);
