-- Says whose a session is, which goes on with this look.
-- $1 cookie: bytea, SHA-256 of the cookie, 32 bytes.
-- $2 idle: integer, seconds; how long it lasts without another look.
-- $3 longest: integer, seconds; how long it lasts at most. A partner's ends when it was to end from the first.
-- Returns: token, its public part; no row where there is no such session, or none any more.
update throng.portal_session as session
set seen = now(),
    until = greatest(
        until,
        case token.role
            when 'partner' then until
            else least(now() + make_interval(secs => $2::integer), since + make_interval(secs => $3::integer))
        end
    )
from throng.access_token as token
where token.token_id = session.token_id
    and cookie_hash = $1::bytea
    and until > now()
returning session.token_id;
