insert into throng.coverage as known (app, hour, kind, events)
values ($1, to_timestamp($2::bigint), $3, $4::bigint)
on conflict (app, hour, kind) do update
set events = known.events + excluded.events;
