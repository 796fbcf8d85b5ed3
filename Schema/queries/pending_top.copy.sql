-- Takes the largest contributions of a flush.
-- Returns: no rows; rows come in.
copy pg_temp.pending_top
    (metric_id, period_start, margin, cell, measure, window_number, counted_start, largest, second_largest, replaces)
from stdin (format binary);
