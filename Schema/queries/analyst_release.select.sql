-- What was released in a view, the latest period last.
-- $1 view: text, the name of a view in schema analyst.
-- $2 kind: text, hour, day, week or month.
-- Returns: start and end of the period (Unix seconds), k, share of events that clients sent, digest (hexadecimal),
--     noise in words, margin of events, margins of sums (separated by commas).
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
