-- An `other` that nothing can land in is no row, and what was left out of a period as a whole is a row of its own view. Both
-- are told from what everybody may know: the layout, its dimensions' fields and rules, and what was published.


-- Buckets that nothing can land in -----------------------------------------------------------------------------------

alter table throng.shown_margin add column closed integer not null default 0;
comment on column throng.shown_margin.closed is 'The dimensions of the layout whose last bucket, other, nothing can land in: bit i stands for dimension i. Unit: bit set.';

-- The dimensions of a release whose bucket other nothing can land in, a bit each: an event has a time; where a list has every
-- event that is counted, no other one is; and of a field that is summed, an event without a number is refused. Fields and
-- lists are those that plans gave the layout, where all of them gave it the same; where none is known, nothing is closed.
create function throng.closed_dimensions(wanted_metric integer, header json) returns integer
language plpgsql
stable
set search_path = pg_catalog, pg_temp
as $$
declare
    content constant json := header -> 'layout';
    dimension json;
    made_from jsonb[];
    origin jsonb;
    is_closed boolean;
    place integer := 0;
    closed integer := 0;
begin
    for dimension in
        select value from json_array_elements(content -> 'dimensions') with ordinality order by ordinality
    loop
        if json_typeof(dimension -> 'coarsening') = 'object' then
            -- Base dimensions come first.
            is_closed := (closed >> (dimension -> 'coarsening' ->> 'place')::integer) & 1 = 1
                and not exists (
                    select
                    from json_array_elements_text(dimension -> 'coarsening' -> 'buckets') with ordinality as b
                    where b.ordinality < json_array_length(dimension -> 'coarsening' -> 'buckets')
                        and b.value::integer = json_array_length(dimension -> 'labels') - 1
                );
        else
            select array_agg(distinct terms.origins -> (dimension ->> 'name')) into made_from
            from throng.layout_terms as terms
            where terms.metric_id = wanted_metric
                and terms.origins is not null;
            origin := case when cardinality(made_from) = 1 then made_from[1] end;
            is_closed := case split_part(dimension ->> 'rule', ' ', 1)
                when 'time' then true
                when 'bands' then exists (
                    select
                    from json_array_elements(content -> 'sums') as summed
                    where summed ->> 'field' = origin ->> 'field'
                )
                when 'list' then origin ->> 'field' = 'event'
                    and json_typeof(header -> 'events') = 'array'
                    and not exists (
                        select
                        from json_array_elements_text(header -> 'events') as counted
                        where counted not in (
                            select jsonb_array_elements_text(listed -> 'values')
                            from jsonb_array_elements(origin -> 'rule' -> 'groups') as listed
                        )
                    )
                else false
            end;
        end if;
        closed := closed | case when is_closed then 1 << place else 0 end;
        place := place + 1;
    end loop;
    return closed;
end
$$;
revoke all on function throng.closed_dimensions(integer, json) from public;

-- Writes down which cells a release shows, and what they are called. As before, and which buckets nothing can land in.
create or replace function throng.describe_release(wanted_release bigint) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
    found throng.release;
    content json;
    columns text[];
    names text[];
    sizes integer[];
    strides integer[];
    cells integer;
    shown integer;
    closed integer;
begin
    select * into strict found from throng.release where release_id = wanted_release;
    content := found.header -> 'layout';
    columns := throng.dimension_columns(content);
    closed := throng.closed_dimensions(found.metric_id, found.header);
    select array_agg(json_array_length(value -> 'labels') order by ordinality) into sizes
    from json_array_elements(content -> 'dimensions') with ordinality;
    for shown in
        select (value ->> 'bits')::integer from json_array_elements(found.header -> 'groupings')
    loop
        names := '{}';
        strides := array_fill(null::integer, array[coalesce(cardinality(sizes), 0)]);
        cells := 1;
        for place in reverse coalesce(cardinality(sizes), 0) .. 1 loop
            continue when (shown >> (place - 1)) & 1 = 0;
            strides[place] := cells;
            cells := cells * sizes[place];
            names := columns[place] || names;
        end loop;
        perform throng.note_impossible(found.metric_id, shown);
        insert into throng.shown_margin (release_id, margin, name, dimensions, cells, strides, closed)
        values (
            wanted_release,
            shown,
            coalesce(nullif(array_to_string(names, ', '), ''), '(total)'),
            names,
            cells,
            strides,
            closed);
    end loop;
    insert into throng.shown_label (release_id, place, bucket, label)
    select wanted_release, d.ordinality - 1, l.ordinality - 1, l.value
    from json_array_elements(content -> 'dimensions') with ordinality as d,
        json_array_elements_text(d.value -> 'labels') with ordinality as l
    where d.value ->> 'rule' like 'revealed %'
        -- No label that is learned begins with a bracket; slots without one do.
        and l.value not like '(%';
end
$$;

-- Releases of noisy metrics have a number in every row, and keep them.
update throng.shown_margin as known
set closed = throng.closed_dimensions(r.metric_id, r.header)
from throng.release as r
where r.release_id = known.release_id;


-- The views of metrics -----------------------------------------------------------------------------------------------

-- Creates the view of one layout. As before, but without rows of buckets that nothing can land in.
create or replace function throng.publish_event_view(wanted_metric integer, wanted_name name) returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    found throng.metric_layout;
    taken text[];
    columns text := 'r.period_start, r.period_end,'
        ' (array[''hour'', ''day'', ''week'', ''month''])[r.period_kind + 1] as period_kind, m.name as margin';
    joins text := '';
    conditions text := '';
    reason text := quote_literal('withheld: it stands for too few people, or would give away one that does');
    comments text[] := array[
        'period_start', 'First second of the period. Unit: instant.',
        'period_end', 'First second after the period. Unit: instant.',
        'period_kind', 'hour, day, week or month: rows of different kinds overlap. Unit: none.',
        'margin', 'The dimensions that the row is split by, separated by commas; (total) is by none. Rows of different margins overlap: pick one. Unit: none.'];
    part record;
    named text;
begin
    select * into strict found from throng.metric_layout where metric_id = wanted_metric;
    taken := array['period_start', 'period_end', 'period_kind', 'margin', 'events', 'devices', 'withheld']
        || throng.dimension_columns(found.layout);
    for part in
        select value ->> 'name' as name,
            (throng.dimension_columns(found.layout))[ordinality] as named,
            array(select json_array_elements_text(value -> 'labels')) as labels,
            value ->> 'rule' like 'revealed %' as is_revealed,
            value ->> 'rule' ~ '^(time|bands|list) ' or value -> 'coarsening' is not null as may_be_closed,
            ordinality as place
        from json_array_elements(found.layout -> 'dimensions') with ordinality
        order by ordinality
    loop
        columns := columns || format(', coalesce(l%s.label, ''(all)'') as %I', part.place, part.named);
        if part.is_revealed then
            joins := joins || format(
                ' left join throng.shown_label as l%1$s on l%1$s.release_id = r.release_id and l%1$s.place = %2$s'
                ' and l%1$s.bucket = c.cell / m.strides[%1$s] %% %3$s',
                part.place, part.place - 1, cardinality(part.labels));
            -- A slot without a label: nothing can have happened in it, and everybody knows.
            conditions := conditions
                || format(' and (m.strides[%1$s] is null or l%1$s.label is not null)', part.place);
        else
            joins := joins || format(
                ' left join unnest(%2$L::text[]) with ordinality as l%1$s (label, place)'
                ' on l%1$s.place = c.cell / m.strides[%1$s] %% %3$s + 1',
                part.place, part.labels, cardinality(part.labels));
        end if;
        if part.may_be_closed then
            -- Where there is a number, there is a row: noisy releases have one for each.
            conditions := conditions || format(
                ' and (c.count is not null or (m.closed >> %2$s) & 1 = 0 or m.strides[%1$s] is null'
                ' or c.cell / m.strides[%1$s] %% %3$s <> %3$s - 1)',
                part.place, part.place - 1, cardinality(part.labels));
        end if;
        comments := comments || array[
            part.named,
            format('Bucket of %s; (all) where the row sums over all of its buckets. Unit: none.', part.name)];
    end loop;
    columns := columns || ', c.count as events';
    comments := comments || array['events', 'Events counted; null where withheld says why. Unit: events.'];
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
                'Sum of %s, each value clipped to %s to %s; null where withheld says why. Unit: %s.',
                part.name, part.lowest, part.highest, coalesce(nullif(part.unit, ''), 'none'))];
    end loop;
    columns := columns || ', c.reach as devices';
    comments := comments || array[
        'devices', 'Proved lower bound on distinct devices, never to be added; null where withheld says why, and where the metric publishes no reach. Unit: devices.'];
    if json_typeof(found.layout -> 'firsts') = 'object' then
        named := throng.fitting_name('client_devices', taken);
        columns := columns || format(', c.firsts as %I', named);
        comments := comments || array[
            named,
            'Devices by what clients say: events that were a device''s first of this row in the period. Unit: devices.'];
    end if;
    if json_array_length(found.layout -> 'impossible') > 0
        or exists (select from json_array_elements(found.layout -> 'dimensions') where value -> 'coarsening' is not null)
    then
        joins := joins || format(
            ' left join throng.impossible_cell as i'
            ' on i.metric_id = %s and i.margin = m.margin and i.cell = c.cell', wanted_metric);
        reason := format('case when i.cell is null then %s else ''cannot occur'' end', reason);
    end if;
    columns := columns || format(', case when c.count is null then %s end as withheld', reason);
    comments := comments || array[
        'withheld', 'Null where the numbers are here. Else why they are not: one reason for all that is withheld; or cannot occur, where the plan rules the row out and everybody knows that it is empty. Unit: none.'];
    execute format(
        'create view analyst.%I with (security_barrier) as select %s from throng.release as r'
        ' join throng.shown_margin as m using (release_id)'
        ' cross join lateral ('
        'select place as cell, p.count, p.sums, p.reach, p.firsts from generate_series(0, m.cells - 1) as place'
        ' left join throng.released_cell as p'
        ' on p.release_id = m.release_id and p.margin = m.margin and p.cell = place offset 0) as c'
        '%s where r.metric_id = %s%s',
        wanted_name, columns, joins, wanted_metric, conditions);
    execute format(
        'comment on view analyst.%I is %L',
        wanted_name,
        format(
            case
                when found.layout ->> 'noise' is null then
                    'Released numbers of metric %s of app %s, layout %s: every row of every margin, withheld ones with '
                    'null numbers. Rows of different margins overlap: pick one, never sum over (all).'
                else
                    'Noisy numbers of metric %s of app %s, layout %s: every declared row has one, and it may be '
                    'negative; see analyst.noise for how far off. Rows of different margins overlap and do not add up.'
            end,
            found.metric, found.app, found.version));
    for place in 1 .. array_length(comments, 1) by 2 loop
        execute format(
            'comment on column analyst.%I.%I is %L', wanted_name, comments[place], comments[place + 1]);
    end loop;
    execute format('grant select on analyst.%I to throng_analyst', wanted_name);
end
$$;

do $$
declare
    known record;
begin
    for known in select metric_id, view_name from throng.metric_layout where view_name is not null loop
        execute format('drop view analyst.%I', known.view_name);
        perform throng.publish_view(known.metric_id, known.view_name);
    end loop;
end
$$;


-- Catalogues ---------------------------------------------------------------------------------------------------------

-- As before, but without a bucket that no release of the layout has a row of.
create or replace view analyst.buckets with (security_barrier) as
select l.app,
    l.metric,
    l.view_name::text as view_name,
    d.name as dimension,
    b.ordinality::integer as place,
    b.value as bucket
from throng.metric_layout as l
cross join lateral (
    select bit_and(m.closed) as closed
    from throng.release as r
    join throng.shown_margin as m using (release_id)
    where r.metric_id = l.metric_id
        and l.layout ->> 'noise' is null
    offset 0
) as known
cross join lateral (
    select value ->> 'name' as name,
        value -> 'labels' as labels,
        json_array_length(value -> 'labels') as size,
        (coalesce(known.closed, 0) >> (ordinality - 1)::integer) & 1 = 1 as is_closed
    from json_array_elements(l.layout -> 'dimensions') with ordinality
    where value ->> 'rule' not like 'revealed %'
    offset 0
) as d
cross join lateral json_array_elements_text(d.labels) with ordinality as b
where not (d.is_closed and b.ordinality = d.size)
union all
select l.app,
    l.metric,
    l.view_name::text,
    d.name,
    null::integer,
    s.label
from throng.metric_layout as l
cross join lateral (
    select value ->> 'name' as name,
        ordinality - 1 as place
    from json_array_elements(l.layout -> 'dimensions') with ordinality
    where value ->> 'rule' like 'revealed %'
    offset 0
) as d
cross join lateral (
    select distinct known.label
    from throng.release as r
    join throng.shown_label as known using (release_id)
    where r.metric_id = l.metric_id
        and known.place = d.place
) as s;

-- Which splits of which periods have no number at all. It says no more than their rows do.
create view analyst.left_out with (security_barrier) as
select r.app,
    r.metric,
    l.view_name::text as view_name,
    (array['hour', 'day', 'week', 'month'])[r.period_kind + 1] as period_kind,
    r.period_start,
    r.period_end,
    m.name as margin,
    m.dimensions
from throng.release as r
join throng.shown_margin as m using (release_id)
join throng.metric_layout as l using (metric_id)
where m.margin <> 0
    and not exists (
        select
        from throng.released_cell as p
        where p.release_id = m.release_id
            and p.margin = m.margin
    )
    -- Of a split that can't have any, nothing is left out.
    and m.cells > (
        select count(*)
        from throng.impossible_cell as i
        where i.metric_id = r.metric_id
            and i.margin = m.margin
    );
comment on view analyst.left_out is 'Periods and margins of which nothing is published: such a split was left out as a whole, or is withheld row by row, which is the same. A coarser margin, or a longer period, may have numbers.';
comment on column analyst.left_out.app is 'Name of the app. Unit: none.';
comment on column analyst.left_out.metric is 'Name of the metric. Unit: none.';
comment on column analyst.left_out.view_name is 'The view in this schema that has these rows. Unit: none.';
comment on column analyst.left_out.period_kind is 'hour, day, week or month. Unit: none.';
comment on column analyst.left_out.period_start is 'First second of the period. Unit: instant.';
comment on column analyst.left_out.period_end is 'First second after the period. Unit: instant.';
comment on column analyst.left_out.margin is 'The value of the view''s column margin. Unit: none.';
comment on column analyst.left_out.dimensions is 'The columns that such rows are split by. Unit: none.';
grant select on analyst.left_out to throng_analyst;
