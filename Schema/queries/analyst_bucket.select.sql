-- What the columns of a view's dimensions can hold, in the plan's order; learned labels by their names.
-- $1 view: text, the name of a view in schema analyst.
-- Returns: dimension, bucket, whether it was learned and has no place.
select dimension,
    bucket,
    place is null
from analyst.buckets
where view_name = $1::text
order by dimension collate "C",
    place,
    bucket collate "C";
