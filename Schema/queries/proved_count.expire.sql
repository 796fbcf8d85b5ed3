-- Deletes the numbers of devices of periods that ended so long ago that nothing is decided about them any more.
-- $1 before: bigint, Unix seconds; of periods that ended before it.
-- Returns: no rows.
delete from throng.proved_count
where period_end < to_timestamp($1::bigint);
