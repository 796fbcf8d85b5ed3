-- One release at a time of an app's metrics that count the same events: the second one must see the first. Held to the
-- end of the transaction, and taken before metric.lock by everyone who takes both.
-- $1 app: text.
-- Returns: one row without a value.
select pg_advisory_xact_lock(hashtextextended('throng ties of ' || $1, 0));
