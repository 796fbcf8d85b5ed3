-- What plans promised of how long numbers are kept, of every layout.
-- $1 app: text; null for every app.
-- Returns: layout, app, metric, names of its dimensions (separated by commas; empty where it has none), until when the promise
--     was in force (Unix seconds; null for the plan in force), ages at which numbers go (seconds, separated by commas), what
--     goes then (separated by commas; nulls where nobody promised anything); by layout, oldest first.
select layout.metric_id,
    layout.app,
    layout.metric,
    array_to_string(array(
        select value ->> 'name'
        from json_array_elements(layout.layout -> 'dimensions') with ordinality
        order by ordinality
    ), ','),
    extract(epoch from promise.until)::bigint,
    array_to_string(promise.ages, ','),
    array_to_string(promise.actions, ',')
from throng.metric_layout as layout
left join throng.layout_promise as promise using (metric_id)
where layout.app = $1
    or $1::text is null
order by layout.metric_id, promise.place;
