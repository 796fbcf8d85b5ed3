-- The tokens with which people sign in to pages. Partners find there what throng.run_file has for them.

create table throng.access_token (
    token_id text not null,
    secret_hash bytea not null,
    role text not null,
    app text,
    partner text,
    note text,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    revoked_at timestamptz,
    constraint access_token_pkey primary key (token_id),
    constraint access_token_id_shape check (token_id ~ '^[0-9a-f]{8}$'),
    constraint access_token_hash_fits check (octet_length(secret_hash) = 32),
    constraint access_token_role_known check (role in ('partner', 'operator')),
    constraint access_token_partner_named check (
        (role = 'partner') = (partner is not null) and (role = 'partner') = (app is not null)
    ),
    constraint access_token_expires_later check (expires_at > created_at)
);
comment on table throng.access_token is 'Who may look at pages. A token itself is nowhere: who reads this can''t sign in.';
comment on column throng.access_token.token_id is 'The token''s public part. Unit: none.';
comment on column throng.access_token.secret_hash is 'SHA-256 of its secret part, which has 256 random bits. Unit: none.';
comment on column throng.access_token.role is 'partner or operator. Unit: none.';
comment on column throng.access_token.app is 'Of a partner: name of the app. Unit: none.';
comment on column throng.access_token.partner is 'Of a partner: its name. Unit: none.';
comment on column throng.access_token.note is 'Whom the operator gave it to. Unit: none.';
comment on column throng.access_token.created_at is 'When it was made. Unit: instant.';
comment on column throng.access_token.expires_at is 'From when on it is worth nothing. Unit: instant.';
comment on column throng.access_token.revoked_at is 'When the operator took it back; null while nobody did. Unit: instant.';
grant select, insert on throng.access_token to throng_reporter;
grant update (revoked_at) on throng.access_token to throng_reporter;
