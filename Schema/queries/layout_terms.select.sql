-- What plans asked of an app's layouts that were counted in a stretch of time, if they were in force in it or later. An hour
-- more, because daemons do not all start at once.
-- $1 app: text.
-- $2 from: bigint, Unix seconds; its first second.
-- $3 to: bigint, Unix seconds; the first second after it.
-- Returns: layout, metric, since and until (Unix seconds, or null), k (devices), events (separated by commas), consent, signals
--     (separated by commas), purpose, what dimensions are made from (JSON, or null); by layout, oldest first.
select terms.metric_id,
    layout.metric,
    extract(epoch from terms.since)::bigint,
    extract(epoch from terms.until)::bigint,
    terms.threshold,
    array_to_string(terms.events, ','),
    terms.needs_consent::text,
    array_to_string(terms.refused_by, ','),
    layout.layout ->> 'purpose',
    terms.origins::text
from throng.layout_terms as terms
join throng.metric_layout as layout using (metric_id)
where layout.app = $1
    and (terms.until is null or terms.until + interval '1 hour' > to_timestamp($2::bigint))
    and exists (
        select
        from throng.open_period as open
        where open.metric_id = terms.metric_id
            and open.period_start < to_timestamp($3::bigint)
            and open.period_end > to_timestamp($2::bigint)
        union all
        select
        from throng.closed_period as closed
        where closed.metric_id = terms.metric_id
            and closed.period_start < to_timestamp($3::bigint)
            and closed.period_end > to_timestamp($2::bigint)
    )
order by terms.metric_id, terms.place;
