-- Proposes who counts from an instant on.
-- $1 after: bigint, the last epoch that was seen, whatever became of it.
-- $2 seconds: integer, how long from now it begins; whoever has not agreed by then makes it void.
-- $3 owners: bigint[], 256 of them: by slot, the shard that counts it.
-- Returns: its number; null where another one is open, or was faster.
select throng.propose_epoch($1::bigint, $2::integer, $3::bigint[]::smallint[]);
