copy pg_temp.pending_counter (period_kind, period_start, metric_id, measure, cell, delta)
from stdin (format binary);
