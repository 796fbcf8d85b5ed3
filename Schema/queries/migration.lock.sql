-- One process at a time changes the schema: "THRG" and 0. Held to the end of the transaction.
-- Returns: one row without a value.
select pg_advisory_xact_lock(6073194562405269504);
