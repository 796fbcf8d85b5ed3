-- All labels of an app; those that are retired still name what was counted under them.
-- $1 app: text.
-- Returns: dimension, slot, label, whether it is retired, the evaluator's key or null, what it makes of the label or null.
select dimension,
    slot,
    label,
    retired_at is not null,
    evaluator,
    output
from throng.revealed_label
where app = $1
order by dimension, slot;
