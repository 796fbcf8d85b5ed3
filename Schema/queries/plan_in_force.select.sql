-- Which plan of each app is in force.
-- Returns: app, plan (32 bytes), since when (Unix seconds), the daemon that brought it, why it came, by app.
select app,
    plan,
    extract(epoch from since)::bigint,
    daemon::text,
    arrival
from throng.plan_in_force
where until is null
order by app;
