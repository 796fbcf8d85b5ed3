-- Whom plans named, from when to when, as those who receive numbers of a metric, whatever its layout.
-- $1 app: text.
-- $2 metric: text.
-- Returns: since and until (Unix seconds; nulls before anybody kept promises, and for the plan in force), names of partners
--     (separated by commas; null where nobody said so); by time.
select extract(epoch from promise.since)::bigint,
    extract(epoch from promise.until)::bigint,
    array_to_string(promise.recipients, ',')
from throng.layout_promise as promise
join throng.metric_layout as layout using (metric_id)
where layout.app = $1
    and layout.metric = $2
order by promise.since nulls first, promise.metric_id, promise.place;
