select place
from throng.delivered_file
where app = $1
    and report = $2
    and period_start = to_timestamp($3::bigint)
    and target = $4;
