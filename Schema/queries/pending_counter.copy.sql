-- Takes the counters of a flush.
-- Returns: no rows; rows come in.
copy pg_temp.pending_counter (period_kind, period_start, metric_id, measure, cell, delta)
from stdin (format binary);
