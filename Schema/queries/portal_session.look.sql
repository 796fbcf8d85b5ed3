-- Says whose a session is, which goes on with this look.
-- $1 cookie: bytea, SHA-256 of the cookie, 32 bytes.
-- $2 idle: integer, seconds; how long it lasts without another look.
-- $3 longest: integer, seconds; how long it lasts at most.
-- Returns: token, its public part; no row where there is no such session, or none any more.
update throng.portal_session
set until = greatest(
        until,
        least(now() + make_interval(secs => $2::integer), since + make_interval(secs => $3::integer))
    )
where cookie_hash = $1::bytea
    and until > now()
returning token_id;
