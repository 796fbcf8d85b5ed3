-- What was released in a view, the latest period last.
select extract(epoch from r.period_start)::bigint,
    extract(epoch from r.period_end)::bigint,
    r.k::bigint,
    r.sampling::text,
    r.digest,
    concat_ws(' ', n.mechanism || ',', 'epsilon ' || n.epsilon, 'rho ' || n.rho),
    n.events_margin,
    coalesce(array_to_string(n.sums_margin, ','), '')
from analyst.releases as r
left join analyst.noise as n using (view_name, period_kind, period_start)
where r.view_name = $1::text
    and r.period_kind = $2::text
order by r.period_start;
