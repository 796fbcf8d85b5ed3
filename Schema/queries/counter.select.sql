select measure,
    cell,
    value
from throng.counter
where shard = 0
    and metric_id = $1::integer
    and period_kind = $2::smallint
    and period_start = to_timestamp($3::bigint)
order by measure, cell;
