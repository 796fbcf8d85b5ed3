-- The sessions of a token that are not over, the latest first.
-- $1 token: text, its public part.
-- Returns: cookie_hash (SHA-256, 32 bytes), since, until and seen (Unix seconds).
select
    cookie_hash,
    extract(epoch from since)::bigint,
    extract(epoch from until)::bigint,
    extract(epoch from seen)::bigint
from throng.portal_session
where token_id = $1::text
    and until > now()
order by since desc, cookie_hash;
