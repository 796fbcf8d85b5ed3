select kind,
    sum(events)::bigint
from throng.coverage
where app = $1
    and hour >= to_timestamp($2::bigint)
    and hour < to_timestamp($3::bigint)
group by kind
order by kind;
