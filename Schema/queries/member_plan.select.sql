-- By which plans daemons count, or counted last, without those that were retired.
-- Returns: daemon, app, plan (32 bytes), whether it has stopped and left nothing behind, by daemon and app.
select known.daemon::text,
    known.app,
    known.plan,
    known.stopped_at is not null
from throng.member_plan as known
left join throng.member on member.daemon = known.daemon
where member.retired_at is null
order by known.daemon, known.app;
