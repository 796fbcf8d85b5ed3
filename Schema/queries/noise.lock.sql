-- Held over all transactions of one noisy release, by one process. 1414025806 is "THRN".
-- $1 metric: integer, the schema's number of a layout.
-- Returns: one row, no where another process holds it.
select pg_try_advisory_lock(1414025806, $1::integer);
