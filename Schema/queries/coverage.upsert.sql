-- Adds to the total of what became of an app's events within an hour.
-- $1 app: text.
-- $2 hour: bigint, Unix seconds; its first second.
-- $3 kind: text, accepted, late, or why they were refused.
-- $4 events: bigint, events.
-- Returns: no rows.
insert into throng.coverage as known (app, hour, kind, events)
values ($1, to_timestamp($2::bigint), $3, $4::bigint)
on conflict (app, hour, kind) do update
set events = known.events + excluded.events;
