-- Flushes share a metric, a release has it alone, to the end of the transaction. 1414025799 is "THRG". Sorted, so that
-- nobody waits in a circle.
-- $1 metrics: integer[], those that the flush touches.
-- Returns: a row without a value, one a metric.
select pg_advisory_xact_lock_shared(1414025799, metric_id)
from (
    select metric_id
    from unnest($1::integer[]) as metric_id
    order by metric_id
) as touched;
