-- Waits for the flushes under way and holds off later ones, of this metric, to the end of the transaction. 1414025799
-- is "THRG".
-- $1 metric: integer, the schema's number of a layout.
-- Returns: one row without a value.
select pg_advisory_xact_lock(1414025799, $1::integer);
