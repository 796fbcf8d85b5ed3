-- Makes the table of migrations where it is not there yet.
-- Returns: no rows.
create schema if not exists throng;
comment on schema throng is 'Counters and releases of Throng. No row stands for a person.';
create table if not exists throng.migration (
    version integer not null,
    name text not null,
    checksum bytea not null,
    applied_at timestamptz not null default now(),
    works_with integer,
    constraint migration_pkey primary key (version),
    constraint migration_checksum_is_sha256 check (octet_length(checksum) = 32)
);
comment on table throng.migration is 'Which numbered migrations were applied, with the text that they had.';
comment on column throng.migration.version is 'The number in its file''s name. Unit: migrations, from 1.';
comment on column throng.migration.name is 'Its file''s name. Unit: none.';
comment on column throng.migration.checksum is 'SHA-256 of its text. Unit: 32 bytes.';
comment on column throng.migration.applied_at is 'When it was applied. Unit: instant.';
comment on column throng.migration.works_with is 'Programs that know the schema from this version on go on working with the database; null where those that know this migration do, and no others. Unit: migrations.';
