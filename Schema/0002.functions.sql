-- What the roles may do beyond plain statements, and what nobody may do.


-- Partitions ---------------------------------------------------------------------------------------------------------

-- The first instant of the partition that holds a period. Hours and days share the grain of a UTC day.
create function throng.partition_start(period_kind smallint, period_start timestamptz) returns timestamptz
language sql
immutable
return date_trunc(
    case period_kind when 2 then 'week' when 3 then 'month' else 'day' end,
    period_start at time zone 'UTC'
) at time zone 'UTC';

create function throng.partition_end(period_kind smallint, range_start timestamptz) returns timestamptz
language sql
immutable
return (
    range_start at time zone 'UTC'
    + case period_kind when 2 then interval '7 days' when 3 then interval '1 month' else interval '1 day' end
) at time zone 'UTC';

-- counter_d_20261121: parent, kind of period, first UTC day.
create function throng.partition_name(parent text, period_kind smallint, range_start timestamptz) returns text
language sql
immutable
return parent || '_' || (array['h', 'd', 'w', 'm'])[period_kind + 1] || '_'
    || to_char(range_start at time zone 'UTC', 'YYYYMMDD');

-- Creates the partitions that hold these periods, unless they are there; returns how many it created.
--
-- A partition is created by itself and then attached: that takes a lock which does not stop other daemons' flushes.
create function throng.ensure_partitions(wanted_kind smallint, wanted_starts timestamptz[]) returns integer
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    -- Key of the lock that lets one session at a time create or drop partitions: "THRG" and 1.
    guard constant bigint := 6073194562405269505;
    made integer := 0;
    low timestamptz;
    high timestamptz;
    parent text;
    child text;
    column_name text;
begin
    if wanted_kind not between 0 and 3 then
        raise exception 'there is no period kind %', wanted_kind using errcode = 'invalid_parameter_value';
    end if;
    perform pg_advisory_xact_lock(guard);
    for low in
        select distinct throng.partition_start(wanted_kind, wanted)
        from unnest(wanted_starts) as wanted
        order by 1
    loop
        -- A clock that is years ahead, or a value that is no time at all, must not fill the catalogue.
        if low < '2020-01-01 00:00:00+00' or low > now() + interval '100 days' then
            raise exception 'no partition is made for a period that starts at %', low
                using errcode = 'datetime_field_overflow';
        end if;
        high := throng.partition_end(wanted_kind, low);
        foreach parent in array array['counter', 'distinct_count'] loop
            child := throng.partition_name(parent, wanted_kind, low);
            continue when to_regclass(format('throng.%I', child)) is not null;
            -- Half of each page stays free: a flush may touch every row of a page, and an update that finds room on
            -- its page touches no index. Measured, the upsert alone: 200,000 known counters in 0.9 to 1.1 s instead of
            -- 1.25 to 1.45 s with a fifth free.
            execute format(
                'create table throng.%I (like throng.%I including all) with (fillfactor = 50)', child, parent);
            execute format(
                'alter table throng.%I attach partition throng.%I for values from (%s, %L) to (%s, %L)',
                parent, child, wanted_kind, low, wanted_kind, high);
            made := made + 1;
        end loop;
        insert into throng.partition as known (period_kind, range_start, range_end)
        values (wanted_kind, low, high)
        on conflict (period_kind, range_start) do update
        set has_counters = true,
            has_distinct = true;
    end loop;
    return made;
end
$$;

-- Drops partitions whose periods are over: counters that start before one instant, distinct counts before another.
--
-- A partition with a period that has no release yet stays, unless it is so old that nobody will release it: then the
-- promise to delete weighs more. Returns the names of the dropped tables.
create function throng.drop_partitions(
    counters_before timestamptz,
    distinct_before timestamptz,
    abandoned_before timestamptz
) returns setof text
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
set lock_timeout = '2s'
as $$
declare
    guard constant bigint := 6073194562405269505;
    found record;
    child text;
begin
    perform pg_advisory_xact_lock(guard);
    delete from throng.open_period where period_end < abandoned_before;
    for found in
        select known.*,
            exists (
                select from throng.open_period as open
                join throng.metric_layout as layout using (metric_id)
                where layout.period_kind = known.period_kind
                    and open.period_start >= known.range_start
                    and open.period_start < known.range_end
            ) as is_open
        from throng.partition as known
        order by known.period_kind, known.range_start
    loop
        continue when found.is_open;
        begin
            if found.has_counters and throng.partition_end(found.period_kind, found.range_end) <= counters_before then
                child := throng.partition_name('counter', found.period_kind, found.range_start);
                execute format('drop table if exists throng.%I', child);
                update throng.partition set has_counters = false
                where period_kind = found.period_kind and range_start = found.range_start;
                return next child;
            end if;
            if found.has_distinct and throng.partition_end(found.period_kind, found.range_end) <= distinct_before then
                child := throng.partition_name('distinct_count', found.period_kind, found.range_start);
                execute format('drop table if exists throng.%I', child);
                update throng.partition set has_distinct = false
                where period_kind = found.period_kind and range_start = found.range_start;
                return next child;
            end if;
        exception
            -- A flush holds the table: the next round drops it.
            when lock_not_available then null;
        end;
    end loop;
    delete from throng.partition where not has_counters and not has_distinct;
end
$$;


-- Layouts and their views --------------------------------------------------------------------------------------------

-- A name of at most 63 bytes that is not taken; a name that has to give way ends in digits of its own digest.
create function throng.fitting_name(wanted text, taken text[]) returns text
language plpgsql
immutable
set search_path = pg_catalog, pg_temp
as $$
declare
    -- PostgreSQL cuts longer identifiers silently, which would let two of them collide.
    longest constant integer := 63;
    candidate text := wanted;
    digits integer := 8;
begin
    while octet_length(candidate) > longest or candidate = any (taken) loop
        candidate := left(encode(sha256(convert_to(wanted, 'UTF8')), 'hex'), digits);
        -- Two bytes a character at most survive the cut; names are ASCII, units and labels never come here.
        candidate := rtrim(left(wanted, longest - 1 - digits), '_') || '_' || candidate;
        if octet_length(candidate) > longest then
            candidate := 'x_' || left(encode(sha256(convert_to(wanted, 'UTF8')), 'hex'), digits);
        end if;
        digits := digits + 4;
    end loop;
    return candidate;
end
$$;

-- Creates the view of one layout: named, commented columns over its releases.
create function throng.publish_view(wanted_metric integer, wanted_name name) returns void
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

-- Registers a layout and, if wanted, makes it the current one of its metric; returns its metric_id.
--
-- A layout that only a journal still speaks of is registered without becoming the current one, unless it is the
-- metric's first. The view of the current layout carries the plain name, app_metric; those of the others end in _v and
-- their version. A name that another view holds gives way to one with a digest; analyst.metrics lists what belongs to
-- what.
create function throng.register_layout(layout_text text, make_current boolean) returns integer
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    -- Key of the lock that lets one session at a time register layouts: "THRG" and 2.
    guard constant bigint := 6073194562405269506;
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
    if former.metric_id is not null and not make_current then
        fitting := throng.fitting_name(plain || '_v' || found.version, throng.view_names());
        perform throng.publish_view(found.metric_id, fitting);
        update throng.metric_layout set view_name = fitting where metric_id = found.metric_id;
        return found.metric_id;
    end if;
    if former.metric_id is not null then
        fitting := throng.fitting_name(plain || '_v' || former.version, throng.view_names());
        execute format('alter view analyst.%I rename to %I', former.view_name, fitting);
        update throng.metric_layout
        set is_current = false,
            view_name = fitting
        where metric_id = former.metric_id;
    end if;
    fitting := throng.fitting_name(plain, throng.view_names());
    if found.view_name is null then
        perform throng.publish_view(found.metric_id, fitting);
    else
        execute format('alter view analyst.%I rename to %I', found.view_name, fitting);
    end if;
    update throng.metric_layout
    set is_current = true,
        view_name = fitting
    where metric_id = found.metric_id;
    return found.metric_id;
end
$$;

-- The names that are taken in schema analyst.
create function throng.view_names() returns text[]
language sql
stable
set search_path = pg_catalog, pg_temp
as $$
    select coalesce(array_agg(relname::text), '{}')
    from pg_class
    where relnamespace = 'analyst'::regnamespace
$$;


-- What was released never changes ------------------------------------------------------------------------------------

create function throng.refuse_change() returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
    -- Only throng.drop_released sets this, for as long as it runs, and only the owner of the tables may delete.
    if tg_op = 'DELETE' and current_setting('throng.retention', true) = 'on' then
        return null;
    end if;
    raise exception '% on throng.%: what was released never changes', tg_op, tg_table_name
        using errcode = 'object_not_in_prerequisite_state',
            hint = 'Numbers go only by age, through throng.drop_released.';
end
$$;

create trigger release_never_changes
before update or delete or truncate on throng.release
for each statement execute function throng.refuse_change();

create trigger released_cell_never_changes
before update or delete or truncate on throng.released_cell
for each statement execute function throng.refuse_change();

create trigger decay_never_changes
before update or delete or truncate on throng.decay
for each statement execute function throng.refuse_change();

-- Cells arrive in the transaction of their release, not later.
create function throng.refuse_late_cells() returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
    if exists (
        select
        from (select distinct release_id from added) as touched
        join throng.release as r using (release_id)
        where r.released_at <> transaction_timestamp()
    ) then
        raise exception 'insert on throng.released_cell: this release was already made'
            using errcode = 'object_not_in_prerequisite_state';
    end if;
    return null;
end
$$;

create trigger released_cell_arrives_with_release
after insert on throng.released_cell
referencing new table as added
for each statement execute function throng.refuse_late_cells();

-- Deletes released cells by age and notes it: those that keep one dimension, or all where the dimension is null.
--
-- Releases whose period ended before the given instant are touched, each once a step. Returns how many cells went.
create function throng.drop_released(wanted_metric integer, dimension text, ended_before timestamptz) returns bigint
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    -- Bits of the dimension in margins; every cell where there is none.
    place integer;
    gone bigint;
begin
    if dimension is not null then
        select ordinality - 1 into place
        from throng.metric_layout as layout,
            json_array_elements(layout.layout -> 'dimensions') with ordinality
        where layout.metric_id = wanted_metric
            and value ->> 'name' = dimension;
        if place is null then
            return 0;
        end if;
    end if;
    -- Lets the deletion below past the trigger that keeps releases as they are, and nothing after it.
    perform set_config('throng.retention', 'on', true);
    with due as (
        select r.release_id
        from throng.release as r
        where r.metric_id = wanted_metric
            and r.period_end <= ended_before
            and not exists (
                select from throng.decay as d
                where d.release_id = r.release_id
                    and d.dropped in (dimension, '*')
            )
    ), dropped as (
        delete from throng.released_cell as c
        using due
        where c.release_id = due.release_id
            and (dimension is null or (c.margin >> place) & 1 = 1)
        returning c.release_id
    ), counted as (
        select release_id, count(dropped.release_id) as cells
        from due
        left join dropped using (release_id)
        group by release_id
    ), noted as (
        insert into throng.decay (release_id, dropped, cells)
        select release_id, coalesce(dimension, '*'), cells
        from counted
        order by release_id
        returning cells
    )
    select coalesce(sum(cells), 0) into gone from noted;
    perform set_config('throng.retention', 'off', true);
    return gone;
end
$$;


-- What analysts see besides the views of metrics -----------------------------------------------------------------------

create view analyst.releases as
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
    (select max(d.decayed_at) from throng.decay as d where d.release_id = r.release_id and d.cells > 0) as decayed_at
from throng.release as r
join throng.metric_layout as l using (metric_id);
comment on view analyst.releases is 'Catalogue of everything that was released.';
comment on column analyst.releases.app is 'Name of the app. Unit: none.';
comment on column analyst.releases.metric is 'Name of the metric. Unit: none.';
comment on column analyst.releases.view_name is 'The view in this schema that shows its numbers. Unit: none.';
comment on column analyst.releases.period_kind is 'hour, day, week or month. Unit: none.';
comment on column analyst.releases.period_start is 'First second of the period. Unit: instant.';
comment on column analyst.releases.period_end is 'First second after the period. Unit: instant.';
comment on column analyst.releases.k is 'How many devices each number stands for at least. Unit: devices.';
comment on column analyst.releases.plan is 'SHA-256 of the plan in force. Unit: hexadecimal digits.';
comment on column analyst.releases.digest is 'SHA-256 of the release. Unit: hexadecimal digits.';
comment on column analyst.releases.released_at is 'When it was made. Unit: instant.';
comment on column analyst.releases.decayed_at is 'When age last took cells from it; null while it is whole. Unit: instant.';

create view analyst.metrics as
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
    ) as sums
from throng.metric_layout as l;
comment on view analyst.metrics is 'Which view shows which metric, one row a layout.';
comment on column analyst.metrics.app is 'Name of the app. Unit: none.';
comment on column analyst.metrics.metric is 'Name of the metric. Unit: none.';
comment on column analyst.metrics.version is 'Which layout of the metric. Unit: layouts, from 1.';
comment on column analyst.metrics.is_current is 'Whether new releases have this layout. Unit: yes or no.';
comment on column analyst.metrics.view_name is 'The view in this schema. Unit: none.';
comment on column analyst.metrics.period_kind is 'hour, day, week or month. Unit: none.';
comment on column analyst.metrics.time_zone is 'Where days begin: a name from the IANA time zone database. Unit: none.';
comment on column analyst.metrics.dimensions is 'Names of its dimensions, in column order. Unit: none.';
comment on column analyst.metrics.sums is 'Names of its sums, in column order. Unit: none.';
grant select on analyst.releases, analyst.metrics to throng_analyst;


-- Who may do what ----------------------------------------------------------------------------------------------------

revoke all on all tables in schema throng from public;
revoke all on all functions in schema throng from public;

grant select on throng.migration to throng_ingest, throng_reporter;
grant select (metric_id, layout_id) on throng.metric_layout to throng_ingest;
grant select, insert, update on throng.counter, throng.distinct_count, throng.watermark to throng_ingest;
grant select on throng.closed_period to throng_ingest;
grant select, insert on throng.open_period to throng_ingest;
grant execute on function
    throng.saturating_add(bigint, bigint),
    throng.ensure_partitions(smallint, timestamptz[]),
    throng.register_layout(text, boolean)
to throng_ingest;

grant select on throng.metric_layout, throng.counter, throng.distinct_count to throng_reporter;
grant delete on throng.distinct_count to throng_reporter;
grant select, delete on throng.open_period to throng_reporter;
grant select, insert on
    throng.closed_period,
    throng.release,
    throng.released_cell
to throng_reporter;
grant select on throng.decay to throng_reporter;
grant select, insert, update on throng.report_run to throng_reporter;
grant execute on function
    throng.drop_partitions(timestamptz, timestamptz, timestamptz),
    throng.drop_released(integer, text, timestamptz)
to throng_reporter;
