select place,
    name,
    contents
from throng.run_file
where app = $1
    and report = $2
    and period_start = to_timestamp($3::bigint)
order by place;
