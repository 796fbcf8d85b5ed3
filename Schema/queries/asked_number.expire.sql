-- Forgets questions that were declined 30 days ago or asked 180 days ago, and those of tokens that are worth nothing any more.
-- Returns: no rows.
delete from throng.asked_number as asked
using throng.access_token as token
where token.token_id = asked.token_id
    and (
        least(asked.declined_at + interval '30 days', asked.asked_at + interval '180 days') <= now()
        or token.expires_at <= now()
        or token.revoked_at is not null
    );
