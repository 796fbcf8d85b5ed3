-- Ends all sessions of a token but the latest ones.
-- $1 token: text, its public part.
-- $2 left: integer, sessions that go on.
-- Returns: no rows.
delete from throng.portal_session
where cookie_hash in (
        select cookie_hash
        from throng.portal_session
        where token_id = $1::text
        order by since desc, cookie_hash
        offset $2::integer
    );
