-- What people were told, and who receives numbers, by each promise of every layout.
-- Returns: layout, until when the promise was in force (Unix seconds; null for the plan in force), what it is counted for, names
--     of partners who receive it (separated by commas; nulls where nobody kept that); oldest first.
select metric_id,
    extract(epoch from until)::bigint,
    explanation,
    array_to_string(recipients, ',')
from throng.layout_promise
order by metric_id, place;
