-- Reads tokens in the order of their making.
-- $1 token: text, its public part; null takes all.
-- Returns: token, role, app, partner, note, and when it was made, expires and was taken back (Unix seconds), the hash
--     of its secret (32 bytes).
select token_id,
    role,
    app,
    partner,
    note,
    extract(epoch from created_at)::bigint,
    extract(epoch from expires_at)::bigint,
    extract(epoch from revoked_at)::bigint,
    secret_hash
from throng.access_token
where $1::text is null or token_id = $1
order by created_at, token_id;
