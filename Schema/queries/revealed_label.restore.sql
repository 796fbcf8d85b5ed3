-- Puts a label back that the database has lost.
-- $1 app: text.
-- $2 dimension: text.
-- $3 slot: integer, from 0.
-- $4 label: text.
-- Returns: one row, no where its slot has another label.
select throng.restore_label($1, $2, $3::integer, $4);
