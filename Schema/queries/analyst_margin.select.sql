-- By what the rows of a view can be split.
-- $1 view: text, the name of a view in schema analyst.
-- $2 kind: text, hour, day, week or month.
-- Returns: margin, its columns separated by commas, the view that has its rows alone, whether its last period has a number.
select m.margin,
    array_to_string(m.dimensions, ','),
    m.grouping_view,
    not exists (
        select
        from analyst.left_out as o
        where o.view_name = m.view_name
            and o.period_kind = m.period_kind
            and o.period_end = m.last_end
            and o.margin = m.margin
    )
from analyst.margins as m
where m.view_name = $1::text
    and m.period_kind = $2::text;
