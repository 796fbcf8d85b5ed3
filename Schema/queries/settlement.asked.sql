-- The last asking of settlement.ask.
-- Returns: one row, the asking's number.
select last_value
from throng.settlement;
