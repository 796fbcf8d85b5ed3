-- Margins: numbers that are off on purpose, by noise that is a function of the installation's secret, the question and the counted
-- table: what is lost before its release is committed is drawn the same again, and nothing about it has to be kept.


-- What is not there any more -----------------------------------------------------------------------------------------

drop view analyst.noise;
drop function throng.displaced_periods(integer[], timestamptz[]);
drop trigger release_takes_its_kind on throng.release;
drop function throng.release_takes_its_kind();
drop table throng.noise_cell, throng.noise_draw, throng.noise_budget;
alter table throng.release drop column kind_of_release;
drop table throng.release_kind;
drop function throng.noise_draw_moves_forward(), throng.noise_cells_stay(), throng.noise_budget_only_grows();


-- Margins of published numbers, and why numbers stay -----------------------------------------------------------------

alter table throng.released_cell
    add column count_margin bigint,
    add column sum_margins bigint[],
    add column reach_margin bigint,
    add constraint released_cell_margins_together check (
        (count_margin is null) = (sum_margins is null)
        and (reach_margin is null or count_margin is not null and reach is not null)
    );
comment on column throng.released_cell.count_margin is '19 of 20 counts lie within this of what was counted; null where numbers are exact. Unit: the count''s.';
comment on column throng.released_cell.sum_margins is 'The same for each sum; null where numbers are exact. Unit: 10^-decimals of the sum''s unit.';
comment on column throng.released_cell.reach_margin is 'The same for reach, which then is about so many devices and no lower bound; null where it is one, or not there. Unit: devices.';
comment on column throng.release.threshold is 'k: how many devices each number stands for at least. Unit: devices.';

alter table throng.withheld_cell drop constraint withheld_cell_reason_known;
alter table throng.withheld_cell add constraint withheld_cell_reason_known check (reason between 0 and 11);
comment on column throng.withheld_cell.reason is '0 small, 1 dominated sum, 2 reveals another, 3 bounds another, 4 leaves a small rest, 5 relates single devices, 6 reveals devices, 7 coarsened, 8 reveals cells of metrics of the same events, 9 few say that they are in it, 10 its grouping gives next to nothing, 11 near k: enough devices, and the drawn number is under k and its margin. Unit: none.';


-- What plans ask -----------------------------------------------------------------------------------------------------

alter table throng.metric_layout
    add column margin text,
    add constraint metric_layout_margin_known check (margin in ('standard'));
comment on column throng.metric_layout.margin is 'How far off its numbers are on purpose, as the last plan that had it says; null where they are exact. Unit: none.';
alter table throng.layout_terms
    add column margin text,
    add constraint layout_terms_margin_known check (margin in ('standard'));
comment on column throng.layout_terms.margin is 'How far off numbers are on purpose; null where they are exact. Unit: none.';
comment on column throng.layout_terms.events is 'The events that were counted. Unit: none.';

drop function throng.keep_terms(integer, bigint, text[], smallint);
-- Keeps the terms of a registered layout.
create function throng.keep_terms(
    wanted_metric integer, wanted_threshold bigint, wanted_sensitive text[], wanted_protection smallint,
    wanted_margin text
) returns void
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
    update throng.metric_layout
    set threshold = wanted_threshold,
        sensitive = wanted_sensitive,
        protection = wanted_protection,
        margin = wanted_margin
    where metric_id = wanted_metric
        and (threshold, sensitive, protection, margin)
            is distinct from (wanted_threshold, wanted_sensitive, wanted_protection, wanted_margin)
$$;
revoke all on function throng.keep_terms(integer, bigint, text[], smallint, text) from public;
grant execute on function throng.keep_terms(integer, bigint, text[], smallint, text) to throng_ingest;

drop function throng.hold_terms(integer, bigint, bigint, text[], smallint, text[], boolean, text[], jsonb, boolean);
-- Keeps what a plan asks of a registered layout, and since when. As before; the margin, too.
create function throng.hold_terms(
    wanted_metric integer, wanted_since bigint, wanted_threshold bigint, wanted_sensitive text[],
    wanted_protection smallint, wanted_events text[], wanted_needs_consent boolean, wanted_refused_by text[],
    wanted_origins jsonb, wanted_margin text, is_everywhere boolean
) returns table (held_since bigint, is_edited boolean)
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    -- Whole seconds, and one instant for all metrics of a plan: they come into force together.
    instant constant timestamptz
        := coalesce(to_timestamp(wanted_since), date_trunc('second', clock_timestamp()));
    -- A layout that is so much older than its first terms was counted without any.
    patience constant interval := '1 minute';
    created timestamptz;
    last throng.layout_terms;
    own throng.layout_terms;
begin
    select layout.created_at
    into strict created
    from throng.metric_layout as layout
    where layout.metric_id = wanted_metric
    for no key update;
    select known.*
    into last
    from throng.layout_terms as known
    where known.metric_id = wanted_metric
    order by known.place desc
    limit 1;
    select known.*
    into own
    from throng.layout_terms as known
    where known.metric_id = wanted_metric
        and known.until is null
        and (known.threshold, known.sensitive, known.protection, known.events, known.needs_consent, known.refused_by,
            coalesce(known.origins, wanted_origins), known.margin)
            is not distinct from (
                wanted_threshold, wanted_sensitive, wanted_protection, wanted_events, wanted_needs_consent,
                wanted_refused_by, wanted_origins, wanted_margin)
    order by known.place desc
    limit 1;
    held_since := extract(epoch from instant)::bigint;
    is_edited := last.place is not null
        and own.place is null
        and (last.threshold, last.sensitive, last.protection, last.events, last.needs_consent, last.refused_by,
            coalesce(last.origins, wanted_origins), last.margin)
            is distinct from (
                wanted_threshold, wanted_sensitive, wanted_protection, wanted_events, wanted_needs_consent,
                wanted_refused_by, wanted_origins, wanted_margin);
    if is_everywhere then
        update throng.layout_terms as known
        set until = instant
        where known.metric_id = wanted_metric
            and known.until is null
            and known.place is distinct from own.place;
    end if;
    if own.place is null then
        insert into throng.layout_terms (
            metric_id, place, since, threshold, sensitive, protection, events, needs_consent, refused_by, origins,
            margin)
        values (
            wanted_metric, coalesce(last.place, 0) + 1,
            case when last.place is null and created < instant - patience then null else instant end,
            wanted_threshold, wanted_sensitive, wanted_protection, wanted_events, wanted_needs_consent,
            wanted_refused_by, wanted_origins, wanted_margin);
    elsif own.origins is null then
        update throng.layout_terms as known
        set origins = wanted_origins
        where known.metric_id = wanted_metric
            and known.place = own.place;
    end if;
    return next;
end;
$$;
revoke all on function throng.hold_terms(integer, bigint, bigint, text[], smallint, text[], boolean, text[], jsonb, text, boolean) from public;
grant execute on function throng.hold_terms(integer, bigint, bigint, text[], smallint, text[], boolean, text[], jsonb, text, boolean) to throng_ingest;


-- Age and deletion ---------------------------------------------------------------------------------------------------

-- As before, without what noise had.
create or replace function throng.delete_app(wanted_app text, copies bigint) returns table (gone_kind text, gone_rows bigint)
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    -- Keys of the locks that let one session at a time change partitions, and layouts with their views.
    partitions constant bigint := 6073194562405269505;
    layouts constant bigint := 6073194562405269506;
    why constant text := 'the app was deleted';
    metrics integer[];
    releases bigint[];
    view name;
    gone bigint;
    first_start timestamptz;
    last_end timestamptz;
    numbers bigint;
    counters bigint := 0;
    files bigint;
    hours bigint;
    labels bigint;
    records bigint := 0;
begin
    perform pg_advisory_xact_lock(partitions);
    perform pg_advisory_xact_lock(layouts);
    select coalesce(array_agg(known.metric_id), '{}')
    into metrics
    from throng.metric_layout as known
    where known.app = wanted_app;
    select coalesce(array_agg(known.release_id), '{}'), min(known.period_start), max(known.period_end)
    into releases, first_start, last_end
    from throng.release as known
    where known.metric_id = any (metrics);

    -- Lets the deletions below past the triggers that keep releases as they are, and nothing after them.
    perform set_config('throng.retention', 'on', true);
    delete from throng.released_cell as known where known.release_id = any (releases);
    get diagnostics numbers = row_count;
    delete from throng.withheld_cell as known where known.release_id = any (releases);
    delete from throng.shown_margin as known where known.release_id = any (releases);
    delete from throng.shown_label as known where known.release_id = any (releases);
    delete from throng.decay as known where known.release_id = any (releases);
    delete from throng.release as known where known.release_id = any (releases);
    get diagnostics gone = row_count;
    records := records + gone;

    delete from throng.counter as known where known.metric_id = any (metrics);
    get diagnostics gone = row_count;
    counters := counters + gone;
    delete from throng.distinct_count as known where known.metric_id = any (metrics);
    get diagnostics gone = row_count;
    counters := counters + gone;
    delete from throng.top_contribution as known where known.metric_id = any (metrics);
    get diagnostics gone = row_count;
    counters := counters + gone;
    delete from throng.proved_first as known where known.metric_id = any (metrics);
    get diagnostics gone = row_count;
    counters := counters + gone;
    delete from throng.proved_count as known where known.metric_id = any (metrics);
    get diagnostics gone = row_count;
    counters := counters + gone;
    delete from throng.open_period as known where known.metric_id = any (metrics);
    delete from throng.closed_period as known where known.metric_id = any (metrics);
    delete from throng.open_rollup as known where known.metric_id = any (metrics);
    delete from throng.kept_period as known where known.metric_id = any (metrics);
    delete from throng.impossible_cell as known where known.metric_id = any (metrics);
    delete from throng.layout_terms as known where known.metric_id = any (metrics);
    delete from throng.layout_promise as known where known.metric_id = any (metrics);
    for view in
        select known.view_name
        from throng.metric_layout as known
        where known.metric_id = any (metrics)
            and known.view_name is not null
    loop
        execute format('drop view analyst.%I', view);
    end loop;
    delete from throng.metric_layout as known where known.metric_id = any (metrics);
    get diagnostics gone = row_count;
    records := records + gone;

    delete from throng.delivered_file as known where known.app = wanted_app;
    delete from throng.delivery as known where known.app = wanted_app;
    get diagnostics gone = row_count;
    records := records + gone;
    delete from throng.run_file as known where known.app = wanted_app;
    get diagnostics files = row_count;
    delete from throng.report_run as known where known.app = wanted_app;
    get diagnostics gone = row_count;
    records := records + gone;
    delete from throng.coverage as known where known.app = wanted_app;
    get diagnostics hours = row_count;
    delete from throng.revealed_label as known where known.app = wanted_app;
    get diagnostics labels = row_count;
    delete from throng.plan_in_force as known where known.app = wanted_app;
    get diagnostics gone = row_count;
    records := records + gone;
    delete from throng.member_plan as known where known.app = wanted_app;
    delete from throng.access_token as known where known.app = wanted_app;
    get diagnostics gone = row_count;
    records := records + gone;
    perform set_config('throng.retention', 'off', true);

    for gone_kind, gone_rows in
        values ('numbers', numbers), ('counters', counters), ('files', files), ('copies', copies), ('coverage', hours),
            ('labels', labels), ('records', records)
    loop
        continue when coalesce(gone_rows, 0) <= 0;
        perform throng.note_deletion(
            wanted_app, gone_kind, 'everything', why,
            case when gone_kind = 'numbers' then first_start end, case when gone_kind = 'numbers' then last_end end,
            gone_rows);
        return next;
    end loop;
end
$$;


-- What analysts see --------------------------------------------------------------------------------------------------

comment on schema analyst is 'Released numbers: every one stands for at least k devices, and where analyst.error_margins lists its release, it is off on purpose. Nothing else is visible here.';
comment on column analyst.releases.k is 'How many devices each number stands for at least. Unit: devices.';

create view analyst.error_margins with (security_barrier) as
select r.app,
    r.metric,
    l.view_name::text as view_name,
    (array['hour', 'day', 'week', 'month'])[r.period_kind + 1] as period_kind,
    r.period_start,
    m.name as margin,
    r.header -> 'margins' ->> 'cost' as rho,
    (stated.value ->> 'count')::bigint as events_margin,
    array(
        select value::bigint
        from json_array_elements_text(stated.value -> 'sums') with ordinality
        order by ordinality
    ) as sums_margin,
    (stated.value ->> 'devices')::bigint as devices_margin
from throng.release as r
join throng.metric_layout as l using (metric_id)
cross join lateral json_array_elements(r.header -> 'groupings') with ordinality as shown (value, place)
join lateral json_array_elements(r.header -> 'margins' -> 'groupings') with ordinality as stated (value, place)
    on stated.place = shown.place
join throng.shown_margin as m
    on m.release_id = r.release_id
    and m.margin = (shown.value ->> 'bits')::integer
where json_typeof(r.header -> 'margins') = 'object';
comment on view analyst.error_margins is 'Which releases are off on purpose, and by how much, one row a release and margin: 19 of 20 of its numbers lie within these of what was counted. Their numbers add up, and none is below 0.';
comment on column analyst.error_margins.app is 'Name of the app. Unit: none.';
comment on column analyst.error_margins.metric is 'Name of the metric. Unit: none.';
comment on column analyst.error_margins.view_name is 'The view in this schema that shows its numbers. Unit: none.';
comment on column analyst.error_margins.period_kind is 'hour, day, week or month. Unit: none.';
comment on column analyst.error_margins.period_start is 'First second of the period. Unit: instant.';
comment on column analyst.error_margins.margin is 'The value of the view''s column margin. Unit: none.';
comment on column analyst.error_margins.rho is 'What all releases of a period cost one device at most, or one event where there are no identifiers. Unit: rho.';
comment on column analyst.error_margins.events_margin is 'Of numbers of events, or of identifiers. Unit: these.';
comment on column analyst.error_margins.sums_margin is 'Of each sum. Unit: 10^-decimals of the sum''s unit.';
comment on column analyst.error_margins.devices_margin is 'Of numbers of devices; null where the metric publishes none. Unit: devices.';
grant select on analyst.error_margins to throng_analyst;

-- Creates the view of one layout. As before, with the margin of each number beside it.
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
    counts text;
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
            conditions := conditions || format(
                ' and (c.count is not null or (m.closed >> %2$s) & 1 = 0 or m.strides[%1$s] is null'
                ' or c.cell / m.strides[%1$s] %% %3$s <> %3$s - 1)',
                part.place, part.place - 1, cardinality(part.labels));
        end if;
        comments := comments || array[
            part.named,
            format('Bucket of %s; (all) where the row sums over all of its buckets. Unit: none.', part.name)];
    end loop;
    -- throng.name_identifiers gives the number itself its name.
    counts := case when json_typeof(found.layout -> 'within') = 'object' then 'identifiers' else 'events' end;
    columns := columns || ', c.count as events';
    comments := comments || array['events', 'Events counted; null where withheld says why. Unit: events.'];
    named := throng.fitting_name(counts || '_margin', taken);
    taken := taken || named;
    columns := columns || format(', c.count_margin as %I', named);
    comments := comments || array[
        named,
        format('19 of 20 numbers lie within this of what was counted; null where numbers are exact. Unit: %s.', counts)];
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
        named := throng.fitting_name(named || '_margin', taken);
        taken := taken || named;
        columns := columns || format(
            ', c.sum_margins[%s]::numeric * %s::numeric as %I',
            part.place,
            case when part.decimals = 0 then '1' else '0.' || repeat('0', part.decimals - 1) || '1' end,
            named);
        comments := comments || array[
            named,
            format(
                '19 of 20 sums of %s lie within this of what was counted; null where numbers are exact. Unit: %s.',
                part.name, coalesce(nullif(part.unit, ''), 'none'))];
    end loop;
    named := throng.fitting_name('devices_margin', taken);
    taken := taken || named;
    columns := columns || format(', c.reach as devices, c.reach_margin as %I', named);
    comments := comments || array[
        'devices', 'Distinct devices, never to be added: a proved lower bound, or about so many where the next column says how far off; null where withheld says why, and where the metric publishes no reach. Unit: devices.',
        named, '19 of 20 numbers of devices lie within this of how many there were; null where the number is a lower bound. Unit: devices.'];
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
        'select place as cell, p.count, p.sums, p.reach, p.firsts, p.count_margin, p.sum_margins, p.reach_margin'
        ' from generate_series(0, m.cells - 1) as place'
        ' left join throng.released_cell as p'
        ' on p.release_id = m.release_id and p.margin = m.margin and p.cell = place offset 0) as c'
        '%s where r.metric_id = %s%s',
        wanted_name, columns, joins, wanted_metric, conditions);
    execute format(
        'comment on view analyst.%I is %L',
        wanted_name,
        format(
            'Released numbers of metric %s of app %s, layout %s: every row of every margin, withheld ones with null numbers. '
            'Rows of different margins overlap: pick one, never sum over (all).',
            found.metric, found.app, found.version));
    for place in 1 .. array_length(comments, 1) by 2 loop
        execute format(
            'comment on column analyst.%I.%I is %L', wanted_name, comments[place], comments[place + 1]);
    end loop;
    execute format('grant select on analyst.%I to throng_analyst', wanted_name);
end
$$;

-- As before, of every release.
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
