-- Finds the columns of a table, in their order.
-- $1 table: text, of schema throng.
-- Returns: column.
select attname::text
from pg_attribute
where attrelid = ('throng.' || quote_ident($1))::regclass
    and attnum > 0
    and not attisdropped
order by attnum;
