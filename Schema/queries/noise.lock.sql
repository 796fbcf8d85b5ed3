-- Held over all transactions of one noisy release, by one process. 1414025806 is "THRN".
select pg_try_advisory_lock(1414025806, $1::integer);
