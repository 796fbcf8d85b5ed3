-- What was released in a view, the latest period last.
-- $1 view: text, the name of a view in schema analyst.
-- $2 kind: text, hour, day, week or month.
-- Returns: start and end of the period (Unix seconds), k, share of events that clients sent, digest (hexadecimal),
--     rho, and the widest margins: of events, of sums (separated by commas), of devices; nulls and nothing where age took the
--     numbers.
select extract(epoch from r.period_start)::bigint,
    extract(epoch from r.period_end)::bigint,
    r.k::bigint,
    r.sampling::text,
    r.digest,
    stated.rho,
    stated.events_margin,
    coalesce(stated.sums_margin, ''),
    stated.devices_margin
from analyst.releases as r
left join lateral (
    select min(e.rho) as rho,
        max(e.events_margin) as events_margin,
        array_to_string(array(
            select widest.margin
            from (
                select sums.place, max(sums.margin) as margin
                from analyst.error_margins as each
                cross join lateral unnest(each.sums_margin) with ordinality as sums (margin, place)
                where each.view_name = r.view_name
                    and each.period_kind = r.period_kind
                    and each.period_start = r.period_start
                group by sums.place
            ) as widest
            order by widest.place
        ), ',') as sums_margin,
        max(e.devices_margin) as devices_margin
    from analyst.error_margins as e
    where e.view_name = r.view_name
        and e.period_kind = r.period_kind
        and e.period_start = r.period_start
) as stated on true
where r.view_name = $1::text
    and r.period_kind = $2::text
order by r.period_start;
