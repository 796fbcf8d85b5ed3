-- Ends a session for good.
-- $1 cookie: bytea, SHA-256 of the cookie, 32 bytes.
-- Returns: no rows.
delete from throng.portal_session
where cookie_hash = $1::bytea;
