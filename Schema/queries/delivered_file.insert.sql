insert into throng.delivered_file (app, report, period_kind, period_start, target, place, status, delivered_at)
values ($1, $2, $3::smallint, to_timestamp($4::bigint), $5, $6::smallint, $7::smallint, to_timestamp($8::bigint))
on conflict do nothing;
