-- One process at a time changes the schema: "THRG" and 0. Held to the end of the transaction.
select pg_advisory_xact_lock(6073194562405269504);
