-- Ends a session of a token, and of no other token, or all of that token but this one.
-- $1 token: text, its public part.
-- $2 cookie: bytea, SHA-256 of the cookie, 32 bytes.
-- $3 others: boolean, whether all but this one end.
-- Returns: no rows.
delete from throng.portal_session
where token_id = $1::text
    and (cookie_hash = $2::bytea) <> $3::boolean;
