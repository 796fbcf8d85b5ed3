-- Firsts (reach: client): clients say which of their events is a device's first in a period. They are further counters
-- of leaf cells; a release publishes their sums beside the floor, and analysts see them under a name of their own.

comment on column throng.counter.measure is 'Which counter of the cell: 0 is the count, i + 1 is sum i, then the firsts of the layout. Unit: none.';

alter table throng.released_cell add column firsts bigint;
comment on column throng.released_cell.firsts is 'Devices by what clients say; null where they are not asked. Unit: devices.';

alter table throng.withheld_cell drop constraint withheld_cell_reason_known;
alter table throng.withheld_cell add constraint withheld_cell_reason_known check (reason between 0 and 9);
alter table throng.withheld_cell drop constraint withheld_cell_floor_where_small;
alter table throng.withheld_cell add constraint withheld_cell_floor_where_small
    check ((reason in (0, 9)) = (floor is not null));
comment on column throng.withheld_cell.reason is '0 small, 1 dominated sum, 2 reveals another, 3 bounds another, 4 leaves a small rest, 5 relates single devices, 6 reveals devices, 7 coarsened, 8 reveals cells of metrics of the same events, 9 few say that they are in it. Unit: none.';
comment on column throng.withheld_cell.floor is 'Where it is small: what is proved; where few say that they are in it: how many. Unit: devices.';

-- Creates the view of one layout: named, commented columns over its releases.
create or replace function throng.publish_view(wanted_metric integer, wanted_name name) returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    found throng.metric_layout;
    taken text[] := array['period_start', 'period_end', 'events', 'devices'];
    columns text := 'r.period_start, r.period_end';
    comments text[] := array[
        'period_start', 'First second of the period. Unit: instant.',
        'period_end', 'First second after the period. Unit: instant.'];
    part record;
    named text;
begin
    select * into strict found from throng.metric_layout where metric_id = wanted_metric;
    for part in
        select value ->> 'name' as name, ordinality as place
        from json_array_elements(found.layout -> 'dimensions') with ordinality
        order by ordinality
    loop
        named := throng.fitting_name(part.name, taken);
        taken := taken || named;
        columns := columns || format(', coalesce(c.buckets[%s], %L) as %I', part.place, '(all)', named);
        comments := comments || array[
            named, format('Bucket of %s; (all) where the row sums over all of its buckets. Unit: none.', part.name)];
    end loop;
    columns := columns || ', c.count as events';
    comments := comments || array['events', 'Events counted. Unit: events.'];
    for part in
        select value ->> 'name' as name,
            (value ->> 'decimals')::integer as decimals,
            coalesce(value ->> 'unit', '') as unit,
            value ->> 'lowest' as lowest,
            value ->> 'highest' as highest,
            ordinality as place
        from json_array_elements(found.layout -> 'sums') with ordinality
        order by ordinality
    loop
        named := throng.fitting_name(part.name, taken);
        taken := taken || named;
        columns := columns || format(
            ', c.sums[%s]::numeric * %s::numeric as %I',
            part.place,
            case when part.decimals = 0 then '1' else '0.' || repeat('0', part.decimals - 1) || '1' end,
            named);
        comments := comments || array[
            named,
            format(
                'Sum of %s, each value clipped to %s to %s. Unit: %s.',
                part.name, part.lowest, part.highest, coalesce(nullif(part.unit, ''), 'none'))];
    end loop;
    columns := columns || ', c.reach as devices';
    comments := comments || array[
        'devices', 'Proved lower bound on distinct devices; null where the metric publishes no reach. Unit: devices.'];
    if json_typeof(found.layout -> 'firsts') = 'object' then
        named := throng.fitting_name('client_devices', taken);
        columns := columns || format(', c.firsts as %I', named);
        comments := comments || array[
            named,
            'Devices by what clients say: events that were a device''s first of this row in the period. Unit: devices.'];
    end if;
    execute format(
        'create view analyst.%I as select %s from throng.release as r'
        ' join throng.released_cell as c using (release_id) where r.metric_id = %s',
        wanted_name, columns, wanted_metric);
    execute format(
        'comment on view analyst.%I is %L',
        wanted_name,
        format(
            'Released numbers of metric %s of app %s, layout %s. Rows of different groupings overlap: '
            'pick one grouping, never sum over (all).',
            found.metric, found.app, found.version));
    for place in 1 .. array_length(comments, 1) by 2 loop
        execute format(
            'comment on column analyst.%I.%I is %L', wanted_name, comments[place], comments[place + 1]);
    end loop;
    execute format('grant select on analyst.%I to throng_analyst', wanted_name);
end
$$;
