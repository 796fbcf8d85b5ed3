-- 1414025806 is "THRN".
select pg_advisory_unlock(1414025806, $1::integer);
