-- Notes until when windows were closed with a flush; rows that this one reaches beyond go.
-- $1 daemon: uuid.
-- $2 through: bigint, batches; how far the journal is in the counters with the flush.
-- $3 ended: bigint, Unix seconds; when the latest of the windows was over.
-- $4 shard: smallint, the daemon's.
-- Returns: one row of nothing.
select throng.close_windows($4::smallint, $1::uuid, $2::bigint, $3::bigint);
