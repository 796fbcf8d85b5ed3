insert into throng.access_token (token_id, secret_hash, role, app, partner, note, created_at, expires_at)
values ($1, $2, $3, $4, $5, $6, to_timestamp($7::bigint), to_timestamp($8::bigint));
