insert into throng.delivered_file (app, report, period_start, target, place, status, delivered_at)
values ($1, $2, to_timestamp($3::bigint), $4, $5::smallint, $6::smallint, to_timestamp($7::bigint))
on conflict do nothing;
