-- Takes a token back; one that was taken back before keeps the earlier instant.
-- $1 token: text, its public part.
-- $2 now: bigint, Unix seconds.
-- Returns: no rows; one is touched where there is such a token.
update throng.access_token
set revoked_at = coalesce(revoked_at, to_timestamp($2::bigint))
where token_id = $1;
