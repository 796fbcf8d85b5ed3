-- Ends what noise.lock began. 1414025806 is "THRN".
-- $1 metric: integer, the schema's number of a layout.
-- Returns: one row, whether it was held.
select pg_advisory_unlock(1414025806, $1::integer);
