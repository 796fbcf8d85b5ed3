insert into throng.delivery (app, report, period_start, target, authorization_name, idempotency_key, next_at)
values ($1, $2, to_timestamp($3::bigint), $4, $5, $6, to_timestamp($7::bigint));
