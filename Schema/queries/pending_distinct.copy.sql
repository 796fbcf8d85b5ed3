-- Takes the distinct counts of a flush.
-- Returns: no rows; rows come in.
copy pg_temp.pending_distinct (period_kind, period_start, metric_id, margin, cell, window_number, delta)
from stdin (format binary);
