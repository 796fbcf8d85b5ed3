-- Begins a session.
-- $1 cookie: bytea, SHA-256 of the cookie, 32 bytes.
-- $2 token: text, its public part.
-- $3 idle: integer, seconds; how long it lasts without a look at a page.
-- Returns: no rows.
insert into throng.portal_session (cookie_hash, token_id, since, until)
values ($1::bytea, $2::text, now(), now() + make_interval(secs => $3::integer));
