-- Notes that a migration was applied.
-- $1 version: integer, from 1.
-- $2 name: text, its file's name.
-- $3 checksum: bytea, SHA-256 of its text, 32 bytes.
-- $4 workswith: integer; the earliest version whose programs go on working with the database, null for none.
-- Returns: no rows.
insert into throng.migration (version, name, checksum, works_with)
values ($1::integer, $2, $3::bytea, $4::integer);
