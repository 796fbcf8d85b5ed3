-- Forgets sessions that are over.
-- Returns: no rows.
delete from throng.portal_session
where until <= now();
