-- What was released in a view, the latest period last.
-- $1 view: text, the name of a view in schema analyst.
-- $2 kind: text, hour, day, week or month.
-- Returns: start and end of the period (Unix seconds), k, share of events that clients sent, digest (hexadecimal), whether
--     it has a margin of devices, since when and until when it was counted (Unix seconds, null where not within the period).
select extract(epoch from r.period_start)::bigint,
    extract(epoch from r.period_end)::bigint,
    r.k::bigint,
    r.sampling::text,
    r.digest,
    exists (
        select
        from analyst.error_margins as e
        where e.view_name = r.view_name
            and e.period_kind = r.period_kind
            and e.period_start = r.period_start
            and e.devices_margin is not null
    ),
    extract(epoch from r.counted_from)::bigint,
    extract(epoch from r.counted_until)::bigint
from analyst.releases as r
where r.view_name = $1::text
    and r.period_kind = $2::text
order by r.period_start;
