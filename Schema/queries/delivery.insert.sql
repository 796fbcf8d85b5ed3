insert into throng.delivery
    (app, report, period_kind, period_start, target, authorization_name, idempotency_key, next_at)
values ($1, $2, $3::smallint, to_timestamp($4::bigint), $5, $6, $7, to_timestamp($8::bigint));
