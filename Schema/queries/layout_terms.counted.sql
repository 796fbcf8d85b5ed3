-- From when and until when layouts of a metric were counted.
-- $1 app: text.
-- $2 metric: text, its name.
-- Returns: layout (32 bytes), since and until (Unix seconds, or null: before anybody kept terms, and to this day).
select layout.layout_id,
    case when bool_and(terms.since is not null) then extract(epoch from min(terms.since))::bigint end,
    case when bool_and(terms.until is not null) then extract(epoch from max(terms.until))::bigint end
from throng.layout_terms as terms
join throng.metric_layout as layout using (metric_id)
where layout.app = $1
    and layout.metric = $2
group by layout.layout_id
order by layout.layout_id;
