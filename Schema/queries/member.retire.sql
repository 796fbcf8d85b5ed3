-- Lets others count for a daemon that is lost, at once.
-- $1 daemon: uuid.
-- $2 after: bigint, the last epoch that was seen, whatever became of it.
-- $3 owners: bigint[], 256 of them: by slot, the shard that counts it.
-- Returns: the number of the new epoch; null where another one was faster, or the daemon is retired already.
select throng.retire_member($1::uuid, $2::bigint, $3::bigint[]::smallint[]);
