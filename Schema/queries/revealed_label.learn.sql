-- Gives a label a slot, or says which it has.
-- $1 app: text.
-- $2 dimension: text.
-- $3 most: integer, slots that the dimension has.
-- $4 label: text.
-- Returns: one row, its slot, from 0; null where every slot has one already.
select throng.learn_label($1, $2, $3::integer, $4);
