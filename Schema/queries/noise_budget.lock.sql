-- Lets one reservation of a purpose at a time through.
-- $1 app: text.
-- $2 purpose: text.
-- Returns: currency, one a budget.
select currency
from throng.noise_budget
where app = $1
    and purpose = $2
order by slot_start, slot_end, currency
for update;
