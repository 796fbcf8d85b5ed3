-- Begins a session.
-- $1 cookie: bytea, SHA-256 of the cookie, 32 bytes.
-- $2 token: text, its public part.
-- $3 idle: integer, seconds; how long it lasts without a look at a page.
-- $4 partners: integer, seconds; how long a partner's lasts, whether or not anybody looks.
-- Returns: no rows.
insert into throng.portal_session (cookie_hash, token_id, since, seen, until)
select $1::bytea,
    token_id,
    now(),
    now(),
    now() + make_interval(secs => case role when 'partner' then $4::integer else $3::integer end)
from throng.access_token
where token_id = $2::text;
