-- Waits for the flushes under way and holds off later ones, of this metric. 1414025799 is "THRG".
select pg_advisory_xact_lock(1414025799, $1::integer);
