-- What analysts see: every cell of the groupings that a release shows, withheld ones too, all alike; and nothing else of
-- what the database knows.
--
-- A row of a view is made from the layout, and its numbers from throng.released_cell. Nothing that knows more than these
-- two may ever be read by a view of schema analyst: then a small cell, an empty one and one that protects another differ
-- in nothing, because there is nothing to tell them apart by.


-- Which cells a release shows ----------------------------------------------------------------------------------------

create table throng.shown_margin (
    release_id bigint not null,
    margin integer not null,
    name text not null,
    dimensions text[] not null,
    cells integer not null,
    strides integer[] not null,
    constraint shown_margin_pkey primary key (release_id, margin),
    constraint shown_margin_release_fkey foreign key (release_id) references throng.release,
    constraint shown_margin_cells_positive check (cells > 0)
);
comment on table throng.shown_margin is 'The groupings of each release, from its header; those that keep a dimension which age took go. Public.';
comment on column throng.shown_margin.release_id is 'The release. Unit: none.';
comment on column throng.shown_margin.margin is 'Which dimensions are kept: bit i stands for dimension i. Unit: bit set.';
comment on column throng.shown_margin.name is 'The columns of the kept dimensions, separated by commas; (total) where none is kept. Unit: none.';
comment on column throng.shown_margin.dimensions is 'The same as an array. Unit: none.';
comment on column throng.shown_margin.cells is 'How many cells it has. Unit: cells.';
comment on column throng.shown_margin.strides is 'One a dimension: by how much the cell grows from one bucket to the next; null is summed out. Unit: cells.';

create table throng.shown_label (
    release_id bigint not null,
    place smallint not null,
    bucket integer not null,
    label text not null,
    constraint shown_label_pkey primary key (release_id, place, bucket),
    constraint shown_label_release_fkey foreign key (release_id) references throng.release
);
comment on table throng.shown_label is 'What the buckets of revealed dimensions were called when a release was made, from its header; it goes with the dimension. Public.';
comment on column throng.shown_label.release_id is 'The release. Unit: none.';
comment on column throng.shown_label.place is 'Which dimension of the layout. Unit: dimensions, from 0.';
comment on column throng.shown_label.bucket is 'Which of its buckets; a slot without a label has no row. Unit: buckets, from 0.';
comment on column throng.shown_label.label is 'Its name. Unit: none.';

create table throng.impossible_cell (
    metric_id integer not null,
    margin integer not null,
    cell integer not null,
    constraint impossible_cell_pkey primary key (metric_id, margin, cell),
    constraint impossible_cell_metric_fkey foreign key (metric_id) references throng.metric_layout
);
comment on table throng.impossible_cell is 'Cells of shown groupings that must be empty, because the layout rules out every leaf below them. Public.';
comment on column throng.impossible_cell.metric_id is 'The layout. Unit: none.';
comment on column throng.impossible_cell.margin is 'Which dimensions are kept: bit i stands for dimension i. Unit: bit set.';
comment on column throng.impossible_cell.cell is 'The cell of that margin. Unit: none.';

-- One a dimension of the layout: the name of its column in the layout's view.
create function throng.dimension_columns(layout json) returns text[]
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
declare
    -- Columns that every view has.
    taken text[] := array[
        'period_start', 'period_end', 'period_kind', 'margin', 'events', 'devices', 'withheld'];
    names text[] := '{}';
    part json;
begin
    for part in select value from json_array_elements(layout -> 'dimensions') loop
        names := names || throng.fitting_name(part ->> 'name', taken || names);
    end loop;
    return names;
end
$$;

-- Writes down which cells of a margin must be empty; does nothing where that was done before, or where none is.
--
-- Only the base dimensions matter that an impossible combination names or that a kept dimension is made of. Each
-- combination of their buckets that is not ruled out makes one combination of kept buckets possible; the others are
-- impossible. At most 10^6 of them are looked at, once a layout and margin.
create function throng.note_impossible(wanted_metric integer, wanted_margin integer) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
    content json;
    dimension json;
    combination json;
    kept boolean;
    -- One a dimension, from 1.
    sizes integer[] := '{}';
    bases integer[] := '{}';
    is_asked boolean[];
    strides integer[];
    digits text[];
    -- The sum over what is kept of digit × stride: from a combination of asked buckets, and from a cell.
    made text[] := '{}';
    shown text[] := '{}';
    ruled_out text[] := '{}';
    parts text[];
    total bigint := 1;
    cells bigint := 1;
begin
    if exists (
        select from throng.shown_margin as m
        join throng.release as r using (release_id)
        where r.metric_id = wanted_metric
            and m.margin = wanted_margin
    ) then
        return;
    end if;
    select layout into strict content from throng.metric_layout where metric_id = wanted_metric;
    for dimension in select value from json_array_elements(content -> 'dimensions') loop
        sizes := sizes || json_array_length(dimension -> 'labels');
        bases := bases || (dimension -> 'coarsening' ->> 'place')::integer + 1;
    end loop;
    is_asked := array_fill(false, array[cardinality(sizes)]);
    for place in 1 .. cardinality(sizes) loop
        kept := (wanted_margin >> (place - 1)) & 1 = 1;
        if kept and bases[place] is not null then
            is_asked[bases[place]] := true;
        end if;
        if exists (
            select
            from json_array_elements(content -> 'impossible') as ruled,
                json_array_elements(ruled -> 'parts') as part
            where part ->> 'dimension' = content -> 'dimensions' -> (place - 1) ->> 'name'
        ) then
            is_asked[place] := true;
        end if;
    end loop;
    if not true = any (is_asked) then
        return;
    end if;
    -- A number runs over all combinations of asked buckets, another over the margin's cells; both mixed radix.
    digits := array_fill(null::text, array[cardinality(sizes)]);
    strides := array_fill(null::integer, array[cardinality(sizes)]);
    for place in reverse cardinality(sizes) .. 1 loop
        if is_asked[place] then
            digits[place] := format('(u / %s %% %s)', total, sizes[place]);
            total := total * sizes[place];
        end if;
        if (wanted_margin >> (place - 1)) & 1 = 1 then
            strides[place] := cells;
            cells := cells * sizes[place];
        end if;
    end loop;
    for place in 1 .. cardinality(sizes) loop
        continue when strides[place] is null;
        if bases[place] is not null then
            made := made || format(
                '(%L::integer[])[%s + 1] * %s',
                (
                    select array_agg(value::integer order by ordinality)
                    from json_array_elements_text(content -> 'dimensions' -> (place - 1) -> 'coarsening' -> 'buckets')
                    with ordinality
                ),
                digits[bases[place]],
                strides[place]);
        elsif is_asked[place] then
            made := made || format('%s * %s', digits[place], strides[place]);
        else
            continue;
        end if;
        shown := shown || format('cell / %s %% %s * %s', strides[place], sizes[place], strides[place]);
    end loop;
    for combination in select value from json_array_elements(content -> 'impossible') loop
        select array_agg(
            case
                when known.place is null then 'false'
                else format('%s = %s', digits[known.place], known.bucket)
            end)
        into parts
        from json_array_elements(combination -> 'parts') as part
        left join lateral (
            select d.ordinality as place, l.ordinality - 1 as bucket
            from json_array_elements(content -> 'dimensions') with ordinality as d,
                json_array_elements_text(d.value -> 'labels') with ordinality as l
            where d.value ->> 'name' = part ->> 'dimension'
                and d.value -> 'coarsening' is null
                and l.value = part ->> 'bucket'
        ) as known on true;
        ruled_out := ruled_out || ('(' || array_to_string(parts, ' and ') || ')');
    end loop;
    execute format(
        'insert into throng.impossible_cell (metric_id, margin, cell)'
        ' with possible as (select distinct %s as code from generate_series(0, %s) as u where not (%s))'
        ' select %s, %s, cell from generate_series(0, %s) as cell'
        ' where not exists (select from possible where possible.code = %s)',
        coalesce(nullif(array_to_string(made, ' + '), ''), '0'),
        total - 1,
        coalesce(nullif(array_to_string(ruled_out, ' or '), ''), 'false'),
        wanted_metric,
        wanted_margin,
        cells - 1,
        coalesce(nullif(array_to_string(shown, ' + '), ''), '0'));
end
$$;

-- Writes down which cells a release shows, and what they are called.
create function throng.describe_release(wanted_release bigint) returns void
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
begin
    select * into strict found from throng.release where release_id = wanted_release;
    content := found.header -> 'layout';
    columns := throng.dimension_columns(content);
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
        insert into throng.shown_margin (release_id, margin, name, dimensions, cells, strides)
        values (
            wanted_release,
            shown,
            coalesce(nullif(array_to_string(names, ', '), ''), '(total)'),
            names,
            cells,
            strides);
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

-- Takes from what a release shows the groupings whose numbers age took.
create function throng.forget_shown(wanted_release bigint, dropped text) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
    gone integer;
begin
    if dropped = '*' then
        delete from throng.shown_margin where release_id = wanted_release;
        delete from throng.shown_label where release_id = wanted_release;
        return;
    end if;
    select ordinality - 1 into gone
    from throng.release as r
    join throng.metric_layout as l using (metric_id),
        json_array_elements(l.layout -> 'dimensions') with ordinality
    where r.release_id = wanted_release
        and value ->> 'name' = dropped;
    delete from throng.shown_margin as known
    where known.release_id = wanted_release
        and (known.margin >> gone) & 1 = 1;
    delete from throng.shown_label as known
    where known.release_id = wanted_release
        and known.place = gone;
end
$$;

create function throng.release_is_described() returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    perform throng.describe_release(new.release_id);
    return null;
end
$$;
create trigger release_is_described
after insert on throng.release
for each row execute function throng.release_is_described();

create function throng.decay_is_followed() returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    perform throng.forget_shown(new.release_id, new.dropped);
    return null;
end
$$;
create trigger decay_is_followed
after insert on throng.decay
for each row execute function throng.decay_is_followed();

do $$
declare
    known record;
begin
    for known in select release_id from throng.release order by release_id loop
        perform throng.describe_release(known.release_id);
    end loop;
    for known in select release_id, dropped from throng.decay loop
        perform throng.forget_shown(known.release_id, known.dropped);
    end loop;
end
$$;


-- The views of metrics -----------------------------------------------------------------------------------------------

-- Creates the view of one layout: named, commented columns over every cell that its releases show.
--
-- The cells of one release and margin are made behind a fence (offset 0): whatever the planner believes, it reads that
-- part of throng.released_cell once and joins it to the numbers from 0 to the margin's size.
create or replace function throng.publish_view(wanted_metric integer, wanted_name name) returns void
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

-- The view says by itself now that it is noisy.
drop trigger noisy_view_says_so on throng.metric_layout;
drop function throng.comment_noisy_view();

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

-- Registers a layout and, if wanted, makes it the current one of its metric; returns its metric_id. As before, but for
-- what an analyst can hold up: whoever reads a view keeps it from being renamed as long as his transaction lasts, and
-- counting must not wait for him. Then the former layout's view keeps the plain name for now, and the current one has
-- that of its version; analyst.metrics says which is which.
create or replace function throng.register_layout(layout_text text, make_current boolean) returns integer
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    -- Key of the lock that lets one session at a time register layouts: "THRG" and 2.
    guard constant bigint := 6073194562405269506;
    -- How long counting may wait for an analyst.
    patience constant text := '2s';
    content constant json := layout_text::json;
    kinds constant text[] := array['hour', 'day', 'week', 'month'];
    identity constant bytea := sha256(convert_to(layout_text, 'UTF8'));
    plain constant text := (content ->> 'app') || '_' || (content ->> 'metric');
    found throng.metric_layout;
    former throng.metric_layout;
    fitting name;
begin
    select * into found from throng.metric_layout as known where known.layout_id = identity;
    if found.is_current or found.metric_id is not null and not make_current then
        return found.metric_id;
    end if;
    perform pg_advisory_xact_lock(guard);
    select * into found from throng.metric_layout as known where known.layout_id = identity;
    if found.is_current or found.metric_id is not null and not make_current then
        return found.metric_id;
    end if;
    if found.metric_id is null then
        insert into throng.metric_layout (layout_id, layout, app, metric, period_kind, version)
        select identity,
            content,
            content ->> 'app',
            content ->> 'metric',
            array_position(kinds, content ->> 'period') - 1,
            1 + count(*)
        from throng.metric_layout as known
        where known.app = content ->> 'app'
            and known.metric = content ->> 'metric'
        returning * into found;
    end if;
    select * into former
    from throng.metric_layout as known
    where known.app = found.app
        and known.metric = found.metric
        and known.is_current;
    if found.view_name is null then
        -- The plain name is free for a metric's first layout only.
        fitting := throng.fitting_name(
            case when former.metric_id is null then plain else plain || '_v' || found.version end, throng.view_names());
        perform throng.publish_view(found.metric_id, fitting);
        update throng.metric_layout set view_name = fitting where metric_id = found.metric_id returning * into found;
    end if;
    if former.metric_id is not null and not make_current then
        return found.metric_id;
    end if;
    update throng.metric_layout set is_current = false where metric_id = former.metric_id;
    update throng.metric_layout set is_current = true where metric_id = found.metric_id;
    if former.metric_id is not null then
        perform set_config('lock_timeout', patience, true);
        begin
            fitting := throng.fitting_name(
                plain || '_v' || former.version, array_remove(throng.view_names(), former.view_name::text));
            if fitting <> former.view_name then
                execute format('alter view analyst.%I rename to %I', former.view_name, fitting);
                update throng.metric_layout set view_name = fitting where metric_id = former.metric_id;
            end if;
            fitting := throng.fitting_name(plain, array_remove(throng.view_names(), found.view_name::text));
            if fitting <> found.view_name then
                execute format('alter view analyst.%I rename to %I', found.view_name, fitting);
                update throng.metric_layout set view_name = fitting where metric_id = found.metric_id;
            end if;
        exception
            when lock_not_available then null;
        end;
        perform set_config('lock_timeout', '0', true);
    end if;
    return found.metric_id;
end
$$;


-- Catalogues ---------------------------------------------------------------------------------------------------------

create or replace view analyst.releases with (security_barrier) as
select r.app,
    r.metric,
    l.view_name::text as view_name,
    (array['hour', 'day', 'week', 'month'])[r.period_kind + 1] as period_kind,
    r.period_start,
    r.period_end,
    r.threshold as k,
    r.plan,
    encode(r.digest, 'hex') as digest,
    r.released_at,
    (select max(d.decayed_at) from throng.decay as d where d.release_id = r.release_id and d.cells > 0) as decayed_at,
    (r.header ->> 'sampling')::numeric as sampling
from throng.release as r
join throng.metric_layout as l using (metric_id);
comment on column analyst.releases.sampling is 'Share of events that clients sent: divide events and sums by it, to estimate what happened. Unit: none, more than 0 and at most 1.';

alter view analyst.metrics set (security_barrier);
alter view analyst.noise set (security_barrier);

create view analyst.margins with (security_barrier) as
select r.app,
    r.metric,
    l.view_name::text as view_name,
    (array['hour', 'day', 'week', 'month'])[r.period_kind + 1] as period_kind,
    m.name as margin,
    m.dimensions,
    min(r.period_start) as first_start,
    max(r.period_end) as last_end,
    count(*) as releases
from throng.release as r
join throng.shown_margin as m using (release_id)
join throng.metric_layout as l using (metric_id)
group by r.app, r.metric, l.view_name, r.period_kind, m.name, m.dimensions;
comment on view analyst.margins is 'By which dimensions the rows of each view can be split: the values of its column margin.';
comment on column analyst.margins.app is 'Name of the app. Unit: none.';
comment on column analyst.margins.metric is 'Name of the metric. Unit: none.';
comment on column analyst.margins.view_name is 'The view in this schema that has these rows. Unit: none.';
comment on column analyst.margins.period_kind is 'hour, day, week or month. Unit: none.';
comment on column analyst.margins.margin is 'The value of the view''s column margin. Unit: none.';
comment on column analyst.margins.dimensions is 'The columns that such rows are split by; the others read (all). Unit: none.';
comment on column analyst.margins.first_start is 'First second of the first period that shows it. Unit: instant.';
comment on column analyst.margins.last_end is 'First second after the last period that shows it. Unit: instant.';
comment on column analyst.margins.releases is 'Periods that show it. Unit: releases.';
grant select on analyst.margins to throng_analyst;


-- Functions that respect withholding ---------------------------------------------------------------------------------

create function analyst.share(part numeric, whole numeric) returns numeric
language sql
immutable
parallel safe
return part / nullif(whole, 0);
comment on function analyst.share(numeric, numeric) is 'Part over whole; null where either is withheld (analyst.reason says so) and where the whole is 0. Unit: none.';

create function analyst.change(value numeric, before numeric) returns numeric
language sql
immutable
parallel safe
return (value - before) / nullif(before, 0);
comment on function analyst.change(numeric, numeric) is 'By how much a value differs from the one before, over the one before: 0.1 is 10 % more. Null where either is withheld (analyst.reason says so) and where the one before is 0. Unit: none.';

create function analyst.reason(variadic withheld text[]) returns text
language sql
immutable
parallel safe
return (
    select coalesce(max(each) filter (where each <> 'cannot occur'), max(each))
    from unnest(withheld) as each
);
comment on function analyst.reason(text[]) is 'Why something made of several rows is null, given their columns withheld: null where all numbers are there. Unit: none.';

-- NaN stands for a sum of which a part is missing; no released number is NaN.
create function throng.add_released(total numeric, value numeric, withheld text) returns numeric
language sql
immutable
parallel safe
return case
    when total = 'NaN' or (value is null and withheld is distinct from 'cannot occur') then 'NaN'
    else coalesce(total, 0) + coalesce(value, 0)
end;
create function throng.whole_or_null(total numeric) returns numeric
language sql
immutable
parallel safe
return nullif(total, 'NaN');
create aggregate analyst.total(value numeric, withheld text) (
    sfunc = throng.add_released,
    stype = numeric,
    finalfunc = throng.whole_or_null,
    parallel = safe
);
comment on aggregate analyst.total(numeric, text) is 'Sum over rows of one margin; null where any of them is withheld, because a sum of the others would pass for the whole. What cannot occur counts as 0. Take the column withheld as the second argument. Unit: that of the first.';

create function throng.keep_reason(reason text, withheld text) returns text
language sql
immutable
parallel safe
return coalesce(reason, nullif(withheld, 'cannot occur'));
create aggregate analyst.total_reason(withheld text) (
    sfunc = throng.keep_reason,
    stype = text,
    parallel = safe
);
comment on aggregate analyst.total_reason(text) is 'Why analyst.total is null over the same rows; null where it is not. Unit: none.';

revoke all on function
    analyst.share(numeric, numeric),
    analyst.change(numeric, numeric),
    analyst.reason(text[]),
    analyst.total(numeric, text),
    analyst.total_reason(text)
from public;
grant execute on function
    analyst.share(numeric, numeric),
    analyst.change(numeric, numeric),
    analyst.reason(text[]),
    analyst.total(numeric, text),
    analyst.total_reason(text)
to throng_analyst;


-- What analysts may do besides reading -------------------------------------------------------------------------------

-- PostgreSQL lets every user see how many rows and pages each table has, how many were written lately, which locks are
-- held, and how many transactions there were. Of throng.counter that is how many cells somebody touched in the last
-- second; of throng.withheld_cell, how many of the withheld rows are not empty; of a metric's lock, that somebody did
-- just now what it counts. Every user may also take the locks that flushes and releases wait for, and fill the disk
-- with large objects. What is closed here is closed to everybody but superusers, pg_monitor, the schema's owner and the
-- daemon's roles, in this database only.
--
-- System catalogues belong to superusers, so a superuser has to call it: the migration does where it is one. Takes it
-- all back where it is called with false, which pg_upgrade may ask for.
create function throng.confine_analysts(confined boolean) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
    owner constant text := (select nspowner::regrole from pg_namespace where nspname = 'throng');
    secret constant text[] := array['relpages', 'reltuples', 'relallvisible', 'relfrozenxid', 'relminmxid'];
    trusted text;
    found record;
    open_columns text;
begin
    if not (select rolsuper from pg_roles where rolname = current_user) then
        raise exception 'throng.confine_analysts needs a superuser: only that may close system catalogues'
            using errcode = 'insufficient_privilege';
    end if;
    trusted := concat_ws(', ', owner, 'throng_ingest', 'throng_reporter', 'pg_monitor');
    for found in
        select p.oid::regprocedure as signature
        from pg_proc as p
        where p.pronamespace = 'pg_catalog'::regnamespace
            and p.prokind = 'f'
            and (
                p.proname ~ '^pg_stat_get_'
                or p.proname ~ '^pg_(relation|table|total_relation|indexes|database|tablespace)_size$'
                or p.proname ~ '^pg_(try_)?advisory_(xact_)?lock'
                or p.proname ~ 'blocking_pids$'
                or p.proname ~ '^pg_(current_(wal|xact|snapshot)|last_|control_|xact_|export_snapshot|logical_emit)'
                or p.proname ~ '^txid_(current|status)'
                or p.proname ~ '^(lo_|loread$|lowrite$)'
                or p.proname in (
                    'pg_lock_status', 'pg_isolation_test_session_is_blocked', 'pg_prepared_xact',
                    'pg_cancel_backend', 'pg_terminate_backend', 'pg_notification_queue_usage',
                    'pg_get_replication_slots', 'pg_get_multixact_members', 'mxid_age')
                or p.oid = 'pg_catalog.age(xid)'::regprocedure
            )
            -- Those that PostgreSQL itself keeps from everybody stay as they are.
            and not exists (
                select from pg_init_privs as i
                where i.classoid = 'pg_proc'::regclass
                    and i.objoid = p.oid
            )
    loop
        if confined then
            execute format('revoke all on function %s from public', found.signature);
            execute format('grant execute on function %s to %s', found.signature, trusted);
        else
            execute format('revoke all on function %s from %s', found.signature, trusted);
            execute format('grant execute on function %s to public', found.signature);
        end if;
    end loop;
    if confined then
        select string_agg(quote_ident(attname), ', ' order by attnum) into open_columns
        from pg_attribute
        where attrelid = 'pg_class'::regclass
            and attnum > 0
            and attname <> all (secret);
        revoke select on pg_class from public;
        execute format('grant select (%s) on pg_class to public', open_columns);
        execute format('grant select on pg_class to %s', trusted);
    else
        execute format('revoke select on pg_class from %s', trusted);
        grant select on pg_class to public;
    end if;
end
$$;
revoke all on function throng.confine_analysts(boolean) from public;

do $$
declare
    statement text;
    is_superuser constant boolean := (select rolsuper from pg_catalog.pg_roles where rolname = current_user);
    mine constant text := format('alter role throng_analyst in database %I set ', current_database());
begin
    foreach statement in array array[
        -- Who can make tables and functions can watch what PostgreSQL does with them. Temporary ones are what a database
        -- lets everybody make.
        format('revoke temporary on database %I from public', current_database()),
        'revoke create on schema public from public',
        -- Good manners, for who logs in as this role; whoever wants to can leave them.
        mine || 'statement_timeout = ''5min''',
        mine || 'idle_in_transaction_session_timeout = ''1min''',
        mine || 'default_transaction_read_only = on',
        -- Sorting must not fill the journal's disk; only a superuser may say so, or change it.
        case when is_superuser then mine || 'temp_file_limit = ''1GB''' end,
        case when is_superuser then 'select throng.confine_analysts(true)' end
    ] loop
        continue when statement is null;
        begin
            execute statement;
        exception
            when insufficient_privilege or invalid_schema_name then
                raise warning 'not done, it needs more rights: %', statement;
        end;
    end loop;
end
$$;


-- Who may do what ----------------------------------------------------------------------------------------------------

revoke all on throng.shown_margin, throng.shown_label, throng.impossible_cell from public;
revoke all on function
    throng.dimension_columns(json),
    throng.note_impossible(integer, integer),
    throng.describe_release(bigint),
    throng.forget_shown(bigint, text),
    throng.release_is_described(),
    throng.decay_is_followed(),
    throng.add_released(numeric, numeric, text),
    throng.whole_or_null(numeric),
    throng.keep_reason(text, text)
from public;
-- The schedule makes partitions by the clock: one that exists only where something was counted tells so to everybody
-- who can list tables.
grant execute on function throng.ensure_partitions(smallint, timestamptz[]) to throng_reporter;
