-- Until when a daemon's windows were closed behind a place in its journal.
-- $1 daemon: uuid.
-- $2 after: bigint, batches.
-- $3 shard: smallint, the daemon's.
-- Returns: one row: when the latest of them was over (Unix seconds), null where none was closed.
select max(ended)
from throng.window_closing
where shard = $3::smallint
    and daemon = $1::uuid
    and position > $2::bigint;
