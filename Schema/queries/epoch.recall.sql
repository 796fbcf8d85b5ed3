-- Tells a PostgreSQL that was set back to an earlier time of an epoch that was in force.
-- $1 epoch: bigint.
-- $2 begins: bigint, Unix seconds.
-- $3 owners: text[], 256 of them: by slot, the daemon that counts it.
-- $4 lost: text, the daemon that it retires; null for nobody.
-- $5 retired: bigint, 1 where that one was said to be lost, so that it never attaches again, 0 for all others.
-- Returns: one row: whether it is in force; false where another one has taken its place.
select throng.recall_epoch($1::bigint, $2::bigint, $3::text[]::uuid[], $4::text::uuid, $5::bigint = 1);
