-- Uses a link up: it signs the owner of its token in, once.
-- $1 link: bytea, SHA-256 of the link, 32 bytes.
-- $2 now: bigint, Unix seconds.
-- Returns: token, its public part; no row where there is no such link, or none any more.
update throng.access_token
set link_hash = null,
    link_until = null
where link_hash = $1::bytea
    and link_until > to_timestamp($2::bigint)
    and expires_at > to_timestamp($2::bigint)
    and revoked_at is null
returning token_id;
