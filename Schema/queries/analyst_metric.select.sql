-- Every layout of which something is released, one row a kind of period.
-- Returns: app, metric, version, whether it is the metric's current one, view, time zone, dimensions and sums
--     (separated by commas), dimension of a funnel's steps, buckets of
--     each dimension (0 where it is made of another), kind of period (a word), releases, start of the first and end of the last (Unix seconds).
select m.app,
    m.metric,
    m.version::bigint,
    m.is_current,
    m.view_name,
    m.time_zone,
    array_to_string(m.dimensions, ','),
    array_to_string(m.sums, ','),
    m.steps,
    array_to_string(m.sizes, ',', '0'),
    found.period_kind,
    found.releases::bigint,
    extract(epoch from found.first_start)::bigint,
    extract(epoch from found.last_end)::bigint
from analyst.metrics as m
join (
    select view_name,
        period_kind,
        max(releases) as releases,
        min(first_start) as first_start,
        max(last_end) as last_end
    from analyst.margins
    group by view_name, period_kind
) as found using (view_name)
order by m.app collate "C",
    m.metric collate "C",
    m.is_current desc,
    m.version desc,
    array_position(array['hour', 'day', 'week', 'month'], found.period_kind);
