-- Waits for the flushes under way and holds off later ones to the end of the transaction, where Citus holds the counters.
-- Returns: one row without a value.
select throng.hold_counters();
