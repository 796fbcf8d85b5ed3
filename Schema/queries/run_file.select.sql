select place,
    name,
    contents
from throng.run_file
where app = $1
    and report = $2
    and period_kind = $3::smallint
    and period_start = to_timestamp($4::bigint)
order by place;
