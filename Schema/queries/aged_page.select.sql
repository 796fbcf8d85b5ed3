-- Finds the tables that rows may have been deleted from, the smallest first.
-- Returns: table, with its schema, quoted.
select format('%I.%I', s.schemaname, s.relname)
from pg_stat_user_tables as s
join pg_class as c on c.oid = s.relid
where s.schemaname = 'throng'
    and (not c.relispartition or s.n_tup_del > 0)
    and pg_table_size(c.oid) > 0
order by pg_table_size(c.oid), 1;
