-- One release at a time of an app's metrics that count the same events: the second one must see the first. Taken before
-- metric.lock by everyone who takes both.
select pg_advisory_xact_lock(hashtextextended('throng ties of ' || $1, 0));
