-- Forgets what was read by tokens that are worth nothing any more.
-- Returns: no rows.
delete from throng.report_reading as reading
using throng.access_token as token
where token.token_id = reading.token_id
    and (token.expires_at <= now() or token.revoked_at is not null);
