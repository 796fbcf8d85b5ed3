-- Questions of a token, or of all, the latest first, with whom their tokens were given to.
-- $1 token: text, its public part; null for all.
-- Returns: id, role, app and partner of the role, note, app, question, asked_at and declined_at (Unix seconds).
select asked.id::text,
    token.role,
    token.app,
    token.partner,
    token.note,
    asked.app,
    asked.question,
    extract(epoch from asked.asked_at)::bigint,
    extract(epoch from asked.declined_at)::bigint
from throng.asked_number as asked
join throng.access_token as token using (token_id)
where asked.token_id = coalesce($1::text, asked.token_id)
order by asked.asked_at desc, asked.token_id, asked.place;
