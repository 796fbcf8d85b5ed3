-- Writes down that something went that is not in PostgreSQL.
-- $1 app: text; * where it was of several apps' together.
-- $2 kind: text.
-- $3 subject: text.
-- $4 term: text.
-- $5 rows: bigint.
-- Returns: one row without a value.
select throng.note_deletion($1, $2, $3, $4, null, null, $5::bigint);
