-- By what the rows of a view can be split.
-- $1 view: text, the name of a view in schema analyst.
-- $2 kind: text, hour, day, week or month.
-- Returns: margin, its columns separated by commas.
select margin,
    array_to_string(dimensions, ',')
from analyst.margins
where view_name = $1::text
    and period_kind = $2::text;
