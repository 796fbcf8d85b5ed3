-- All labels of an app; those that are retired still name what was counted under them.
-- $1 app: text.
-- Returns: dimension, slot, label, whether it is retired.
select dimension,
    slot,
    label,
    retired_at is not null
from throng.revealed_label
where app = $1
order by dimension, slot;
