-- Notes a new token. Of its secret only the hash is kept.
-- $1 token: text, its public part.
-- $2 hash: bytea, SHA-256 of its secret, 32 bytes.
-- $3 role: text, partner, operator or analyst.
-- $4 app: text; null where the role is not partner.
-- $5 partner: text; null where the role is not partner.
-- $6 note: text, whom it was given to in the operator's words; null for nothing.
-- $7 created: bigint, Unix seconds; when it was made.
-- $8 expires: bigint, Unix seconds; from when on it is worth nothing.
-- $9 link: bytea, SHA-256 of the link that signs its owner in once, 32 bytes; null for none.
-- $10 until: bigint, Unix seconds; how long that link is good; null for none.
-- Returns: no rows.
insert into throng.access_token
    (token_id, secret_hash, role, app, partner, note, created_at, expires_at, link_hash, link_until)
values (
    $1, $2, $3, $4, $5, $6, to_timestamp($7::bigint), to_timestamp($8::bigint), $9, to_timestamp($10::bigint)
);
