-- A metric with a frequency or a funnel counts identifiers, each once when its window is over: its view says so, in the
-- name of the column and in its unit.

-- Gives the numbers of a view their name and unit where its layout counts identifiers; does nothing where it counts events.
create function throng.name_identifiers(wanted_metric integer, wanted_name name) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
    content json;
    named text;
begin
    select layout into strict content from throng.metric_layout where metric_id = wanted_metric;
    if json_typeof(content -> 'within') is distinct from 'object' then
        return;
    end if;
    -- Plans refuse a dimension of this name now; one that was counted before keeps it.
    named := throng.fitting_name('identifiers', throng.dimension_columns(content));
    execute format('alter view analyst.%I rename column events to %I', wanted_name, named);
    execute format(
        'comment on column analyst.%I.%I is %L',
        wanted_name,
        named,
        'Identifiers, each counted once, when its window was over: a device that came back in a later one is another '
        'identifier; null where withheld says why. Unit: identifiers.');
end
$$;

-- Creates the view of one layout, as before, and names what it counts.
alter function throng.publish_view(integer, name) rename to publish_event_view;
create function throng.publish_view(wanted_metric integer, wanted_name name) returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    perform throng.publish_event_view(wanted_metric, wanted_name);
    perform throng.name_identifiers(wanted_metric, wanted_name);
end
$$;

revoke all on function
    throng.name_identifiers(integer, name),
    throng.publish_view(integer, name)
from public;

do $$
declare
    known record;
begin
    for known in select metric_id, view_name from throng.metric_layout where view_name is not null loop
        perform throng.name_identifiers(known.metric_id, known.view_name);
    end loop;
end
$$;

create or replace view analyst.metrics with (security_barrier) as
select l.app,
    l.metric,
    l.version,
    l.is_current,
    l.view_name::text as view_name,
    (array['hour', 'day', 'week', 'month'])[l.period_kind + 1] as period_kind,
    l.layout ->> 'timeZone' as time_zone,
    array(
        select value ->> 'name'
        from json_array_elements(l.layout -> 'dimensions') with ordinality
        order by ordinality
    ) as dimensions,
    array(
        select value ->> 'name'
        from json_array_elements(l.layout -> 'sums') with ordinality
        order by ordinality
    ) as sums,
    case when json_typeof(l.layout -> 'within') = 'object' then 'identifiers' else 'events' end as counts
from throng.metric_layout as l;
comment on column analyst.metrics.counts is 'What it counts, and the column of its view that says how many: events, or identifiers, each once when its window was over. Unit: none.';
