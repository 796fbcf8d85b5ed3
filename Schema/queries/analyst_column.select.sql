-- The columns of a view in schema analyst in their order, and what they say of themselves.
-- $1 view: text, the name of a view in schema analyst.
-- Returns: name, comment.
select a.attname::text,
    coalesce(col_description(a.attrelid, a.attnum), '')
from pg_attribute as a
join pg_class as c on c.oid = a.attrelid
where c.relnamespace = 'analyst'::regnamespace
    and c.relname = $1::text
    and a.attnum > 0
    and not a.attisdropped
order by a.attnum;
