-- $1: one token; null takes all.
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
