-- The sessions of a token that are not over, the latest first.
-- $1 token: text, its public part.
-- Returns: cookie, SHA-256 of the cookie, 32 bytes; since, when somebody signed in; until, from when on it is over.
select cookie_hash, since, until
from throng.portal_session
where token_id = $1::text
    and until > now()
order by since desc, cookie_hash;
