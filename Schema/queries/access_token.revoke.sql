update throng.access_token
set revoked_at = coalesce(revoked_at, to_timestamp($2::bigint))
where token_id = $1;
