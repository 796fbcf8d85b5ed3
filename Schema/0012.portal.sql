-- What people look at in a browser: the tokens with which they sign in, and the reports that partners find there.

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

create table throng.report_file (
    app text not null,
    report text not null,
    period_start timestamptz not null,
    period_end timestamptz not null,
    period_kind smallint not null,
    partner text not null,
    name text not null,
    contents bytea not null,
    made_at timestamptz not null,
    constraint report_file_pkey primary key (app, report, period_start, name),
    constraint report_file_period_kind_known check (period_kind between 0 and 3)
);
comment on table throng.report_file is 'Reports as their partners got them: only released numbers.';
comment on column throng.report_file.app is 'Name of the app. Unit: none.';
comment on column throng.report_file.report is 'Name of the report. Unit: none.';
comment on column throng.report_file.period_start is 'First second of what it covers. Unit: instant.';
comment on column throng.report_file.period_end is 'First second after what it covers. Unit: instant.';
comment on column throng.report_file.period_kind is 'What it covers: 0 hour, 1 day, 2 week, 3 month. Unit: none.';
comment on column throng.report_file.partner is 'Whom it is for: nobody else may have it. Unit: none.';
comment on column throng.report_file.name is 'Name of the file. Unit: none.';
comment on column throng.report_file.contents is 'Its bytes. Unit: none.';
comment on column throng.report_file.made_at is 'When it was made. Unit: instant.';
grant select, insert, update, delete on throng.report_file to throng_reporter;
