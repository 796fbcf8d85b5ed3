-- The last epoch, whatever became of it.
-- Returns: one row: its number, 0 where there is none.
select coalesce(max(epoch), 0)
from throng.epoch;
