-- By what the rows of a view can be split.
select margin,
    array_to_string(dimensions, ',')
from analyst.margins
where view_name = $1::text
    and period_kind = $2::text;
