-- The last asking of settlement.ask.
-- Returns: one row: the asking's number, and when it is read (Unix seconds).
select last_value,
    floor(extract(epoch from now()))::bigint
from throng.settlement;
