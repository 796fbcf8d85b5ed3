-- Forgets whom tokens were given to, 30 days after they are worth nothing any more.
-- Returns: no rows.
update throng.access_token
set note = null
where note is not null
    and least(expires_at, revoked_at) <= now() - interval '30 days';
