-- Which of these tables are there.
-- $1 names: text, separated by commas; tables of schema throng.
-- Returns: name, by name.
select name
from unnest(string_to_array($1, ',')) as name
where to_regclass('throng.' || quote_ident(name)) is not null
order by name;
