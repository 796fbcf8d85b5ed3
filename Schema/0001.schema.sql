-- The schema of Throng: counters of crowds, places in journals, and releases. No column here can hold an identifier, an
-- address, a raw field value or a single event.
--
-- Roles:
--   throng_ingest    adds to counters, which takes reading them; sees nothing else.
--   throng_reporter  reads counters, writes releases.
--   throng_analyst   sees released numbers through schema analyst; nothing else.
--
-- Order: roles and schemas; layouts and their plans; counters; daemons; releases; what analysts see; age and deletion;
-- revealed labels; reports; pages. A table comes with its comments, its triggers and what the roles may do with it.
-- Functions that a role may execute say so below them; nobody else may execute any (see the end).
-- Every function that acts for its owner runs with a search path of its own, so every name carries its schema.
--
-- Advisory locks have a key of eight bytes: "THRG" and 0 for migrations, 1 for partitions, 2 for layouts and their views,
-- 3 for the ledger of deletions, 31 for members and epochs, 33 for plans.

-- Roles and schemas ----------------------------------------------------------------------------------------------------

do $$
declare
    wanted text;
    is_superuser constant boolean := (select rolsuper from pg_catalog.pg_roles where rolname = current_user);
begin
    foreach wanted in array array['throng_ingest', 'throng_reporter', 'throng_analyst'] loop
        begin
            if not exists (select from pg_catalog.pg_roles where rolname = wanted) then
                execute format('create role %I nologin', wanted);
            end if;
        exception
            -- Roles belong to the whole cluster: another database's migration may have been quicker.
            when duplicate_object or unique_violation then null;
        end;
    end loop;
    -- The daemon connects as the migrating user by default and becomes one of the roles with "set role".
    if not is_superuser then
        execute format('grant throng_ingest, throng_reporter to %I', current_user);
        -- It answers analysts' pages as throng_analyst and nothing else.
        begin
            execute format('grant throng_analyst to %I', current_user);
        exception
            when insufficient_privilege then
                raise warning 'not done, it needs more rights: grant throng_analyst to %', current_user;
        end;
    end if;
    execute format('grant connect on database %I to throng_ingest, throng_reporter, throng_analyst', current_database());
    execute format('grant temporary on database %I to throng_ingest, throng_reporter', current_database());
end
$$;

revoke all on schema throng from public;
grant usage on schema throng to throng_ingest, throng_reporter;
grant select on throng.migration to throng_ingest, throng_reporter;

create schema analyst;
comment on schema analyst is 'Released numbers: every one stands for at least k devices and is off on purpose, by how much analyst.error_margins says. Nothing else is visible here.';
revoke all on schema analyst from public;
grant usage on schema analyst to throng_analyst;

-- Layouts: what a counter's cell number means --------------------------------------------------------------------------

create table throng.metric_layout (
    metric_id integer generated always as identity,
    layout_id bytea not null,
    layout json not null,
    app text not null,
    metric text not null,
    period_kind smallint not null,
    version integer not null,
    view_name name,
    is_current boolean not null default false,
    created_at timestamptz not null default now(),
    threshold bigint,
    constraint metric_layout_pkey primary key (metric_id),
    constraint metric_layout_id_unique unique (layout_id),
    constraint metric_layout_version_unique unique (app, metric, version),
    constraint metric_layout_view_unique unique (view_name),
    -- json, not jsonb: it keeps the text byte by byte, so the identity can be checked.
    constraint metric_layout_id_is_digest check (layout_id = sha256(convert_to(layout::text, 'UTF8'))),
    constraint metric_layout_period_kind_known check (period_kind between 0 and 3)
);
create unique index metric_layout_one_current on throng.metric_layout (app, metric) where is_current;
comment on table throng.metric_layout is 'The layout of each metric in counters. A change of a metric makes a new row; rows go only with their app.';
comment on column throng.metric_layout.metric_id is 'Short name of the layout in counters. Unit: none.';
comment on column throng.metric_layout.layout_id is 'SHA-256 of the layout''s JSON. Unit: 32 bytes.';
comment on column throng.metric_layout.layout is 'The layout as the daemon wrote it: JSON with sorted keys. Unit: none.';
comment on column throng.metric_layout.version is 'The number of the layout among those of the metric, in order of first sight. Unit: layouts, from 1.';
comment on column throng.metric_layout.view_name is 'The view in schema analyst that shows its releases. Unit: none.';
comment on column throng.metric_layout.is_current is 'Whether a daemon registered it last among the metric''s layouts. Unit: yes or no.';
comment on column throng.metric_layout.created_at is 'When it was first registered. Unit: instant.';
comment on column throng.metric_layout.threshold is 'k that the last plan with this layout asked for; null where no plan said so. Unit: devices.';
grant select (metric_id, layout_id) on throng.metric_layout to throng_ingest;
grant select on throng.metric_layout to throng_reporter;

-- Keeps k of a registered layout.
create function throng.keep_terms(wanted_metric integer, wanted_threshold bigint) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
    update throng.metric_layout set threshold = wanted_threshold
    where metric_id = wanted_metric and threshold is distinct from wanted_threshold
$$;
grant execute on function throng.keep_terms(integer, bigint) to throng_ingest;

-- Terms and promises of plans -----------------------------------------------------------------------------------------

-- The terms that a plan sets for a metric's releases hold for all that was counted under it, whatever the plan says when
-- that is released. So each row says from when to when some daemon counted by a plan that asked it.
--
-- Two dimensions of other names or buckets may be made from one field, and then numbers of the one bound those of the
-- other. A layout has no more of its rules than their fingerprints, so origins are kept with its terms: a plan may give
-- one layout another field.
create table throng.layout_terms (
    metric_id integer not null,
    place integer not null,
    since timestamptz,
    until timestamptz,
    threshold bigint not null,
    events text[] not null,
    needs_consent boolean,
    refused_by text[] not null,
    origins jsonb,
    constraint layout_terms_pkey primary key (metric_id, place),
    constraint layout_terms_metric_fkey foreign key (metric_id) references throng.metric_layout
);
comment on table throng.layout_terms is 'Terms that plans set for a layout''s releases, one row for each time that a plan asked something else. Rows go only with their app.';
comment on column throng.layout_terms.place is 'Counts from 1 in each layout. Unit: none.';
comment on column throng.layout_terms.since is 'When a daemon first started with it; null where the layout is older than its first terms. Unit: instant.';
comment on column throng.layout_terms.until is 'When the last daemon stopped to count by a plan that asked this; null while one does. Unit: instant.';
comment on column throng.layout_terms.threshold is 'k. Unit: devices.';
comment on column throng.layout_terms.events is 'The events that were counted. Unit: none.';
comment on column throng.layout_terms.needs_consent is 'Whether the purpose asked for consent; null where it was not in the plan. Unit: none.';
comment on column throng.layout_terms.refused_by is 'The signals by which the purpose could be refused. Unit: none.';
comment on column throng.layout_terms.origins is 'By base dimension the field and the rule that it is made from; null where they are not known, and dimensions are the same by name and buckets only. Unit: none.';
grant select on throng.layout_terms to throng_reporter;

-- A promise holds for what was counted under it: a later plan only takes more. That goes for how long numbers are kept,
-- for what people are told, and for who receives numbers.
create table throng.layout_promise (
    metric_id integer not null,
    place integer not null,
    since timestamptz,
    until timestamptz,
    ages bigint[] not null,
    actions text[] not null,
    explanation text,
    recipients text[],
    constraint layout_promise_pkey primary key (metric_id, place),
    constraint layout_promise_metric_fkey foreign key (metric_id) references throng.metric_layout,
    constraint layout_promise_together check (cardinality(ages) = cardinality(actions))
);
comment on table throng.layout_promise is 'Promises of plans about a layout''s numbers: how long they are kept, what for, and who receives them; one row for each time that a plan promised something else. Rows go only with their app.';
comment on column throng.layout_promise.place is 'Counts from 1 in each layout. Unit: none.';
comment on column throng.layout_promise.since is 'When a daemon first started with it; null where the layout is older than its first promise. Unit: instant.';
comment on column throng.layout_promise.until is 'When the last daemon stopped to count by a plan that promised this; null while one does. Unit: instant.';
comment on column throng.layout_promise.ages is 'The ages at which numbers go, retention last. Unit: seconds from the end of the period.';
comment on column throng.layout_promise.actions is 'One an age, the numbers that go then: drop and a dimension, coarsen and two, keep and a period or totals, or delete. Unit: none.';
comment on column throng.layout_promise.explanation is 'The purpose that people were told; null where the plan states none. Unit: none.';
comment on column throng.layout_promise.recipients is 'Names of the partners whose reports show its numbers; null where the plan states none. Unit: none.';
grant select on throng.layout_promise to throng_reporter;

-- Keeps what a plan asks of a registered layout, and since when; returns that. Nothing happens where an open row asks the
-- same. Terms of other plans go on to hold unless this one is counted by everywhere.
create function throng.hold_terms(
    wanted_metric integer, wanted_since bigint, wanted_threshold bigint, wanted_events text[],
    wanted_needs_consent boolean, wanted_refused_by text[], wanted_origins jsonb, is_everywhere boolean
) returns table (held_since bigint, is_edited boolean)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
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
    select layout.created_at into strict created from throng.metric_layout as layout
    where layout.metric_id = wanted_metric
    -- Weaker than "for update": a release that is on its way refers to its layout, and would let no daemon start or join.
    for no key update;
    select known.* into last from throng.layout_terms as known
    where known.metric_id = wanted_metric
    order by known.place desc
    limit 1;
    select known.* into own from throng.layout_terms as known
    where known.metric_id = wanted_metric
        and known.until is null
        and (known.threshold, known.events, known.needs_consent, known.refused_by,
            coalesce(known.origins, wanted_origins))
            is not distinct from (
                wanted_threshold, wanted_events, wanted_needs_consent, wanted_refused_by, wanted_origins)
    order by known.place desc
    limit 1;
    held_since := extract(epoch from instant)::bigint;
    is_edited := last.place is not null
        and own.place is null
        and (last.threshold, last.events, last.needs_consent, last.refused_by,
            coalesce(last.origins, wanted_origins))
            is distinct from (
                wanted_threshold, wanted_events, wanted_needs_consent, wanted_refused_by, wanted_origins);
    if is_everywhere then
        update throng.layout_terms as known set until = instant
        where known.metric_id = wanted_metric and known.until is null and known.place is distinct from own.place;
    end if;
    if own.place is null then
        insert into throng.layout_terms (
            metric_id, place, since, threshold, events, needs_consent, refused_by, origins)
        values (
            wanted_metric, coalesce(last.place, 0) + 1,
            case when last.place is null and created < instant - patience then null else instant end,
            wanted_threshold, wanted_events, wanted_needs_consent, wanted_refused_by, wanted_origins);
    elsif own.origins is null then
        update throng.layout_terms as known set origins = wanted_origins
        where known.metric_id = wanted_metric and known.place = own.place;
    end if;
    return next;
end;
$$;
grant execute on function throng.hold_terms(integer, bigint, bigint, text[], boolean, text[], jsonb, boolean)
    to throng_ingest;

-- Keeps what a plan promises of a registered layout, and since when. Nothing happens where an open row promises the same.
-- Promises of other plans go on to hold unless this one is counted by everywhere.
create function throng.hold_promise(
    wanted_metric integer, wanted_since bigint, wanted_ages bigint[], wanted_actions text[], wanted_explanation text,
    wanted_recipients text[], is_everywhere boolean
) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    instant constant timestamptz := to_timestamp(wanted_since);
    -- A layout that is so much older than its first promise was counted without any.
    patience constant interval := '1 minute';
    created timestamptz;
    last_place integer;
    own_place integer;
begin
    select layout.created_at into strict created from throng.metric_layout as layout
    where layout.metric_id = wanted_metric
    -- Weaker than "for update": a release that is on its way refers to its layout, and would let no daemon start or join.
    for no key update;
    select max(known.place),
        max(known.place) filter (
            where known.until is null
                and (known.ages, known.actions) = (wanted_ages, wanted_actions)
                and known.explanation is not distinct from wanted_explanation
                and known.recipients is not distinct from wanted_recipients
        )
    into last_place, own_place from throng.layout_promise as known
    where known.metric_id = wanted_metric;
    if is_everywhere then
        update throng.layout_promise as known set until = instant
        where known.metric_id = wanted_metric and known.until is null and known.place is distinct from own_place;
    end if;
    if own_place is null then
        insert into throng.layout_promise (metric_id, place, since, ages, actions, explanation, recipients)
        values (
            wanted_metric, coalesce(last_place, 0) + 1,
            case when last_place is null and created < instant - patience then null else instant end,
            wanted_ages, wanted_actions, wanted_explanation, wanted_recipients);
    end if;
end;
$$;
grant execute on function throng.hold_promise(integer, bigint, bigint[], text[], text, text[], boolean) to throng_ingest;

-- Ends the terms and the promises of layouts that the plan in force does not have: all of the apps of these layouts but
-- themselves.
create function throng.retire_terms(kept integer[], ended bigint) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
    update throng.layout_terms as terms set until = to_timestamp(ended)
    from throng.metric_layout as layout
    where layout.metric_id = terms.metric_id
        and terms.until is null
        and terms.metric_id <> all (kept)
        and layout.app in (
            select mine.app from throng.metric_layout as mine
            where mine.metric_id = any (kept)
        );
    update throng.layout_promise as promise set until = to_timestamp(ended)
    from throng.metric_layout as layout
    where layout.metric_id = promise.metric_id
        and promise.until is null
        and promise.metric_id <> all (kept)
        and layout.app in (
            select mine.app from throng.metric_layout as mine
            where mine.metric_id = any (kept)
        )
$$;
grant execute on function throng.retire_terms(integer[], bigint) to throng_ingest;

-- Counters -------------------------------------------------------------------------------------------------------------

-- A shard is a daemon's own part, so that no two wait for the same row; a release adds them up. It comes first in every
-- key of a counter, so that Citus can distribute by it.
-- No foreign key to metric_layout: a check per touched cell would cost more than the upsert itself.
create table throng.counter (
    shard smallint not null default 0,
    period_kind smallint not null,
    period_start timestamptz not null,
    metric_id integer not null,
    measure smallint not null,
    cell integer not null,
    value bigint not null,
    constraint counter_pkey primary key (shard, metric_id, period_kind, period_start, measure, cell)
) partition by range (period_kind, period_start);
comment on table throng.counter is 'Counts and clipped sums of leaf cells, partitioned by period.';
comment on column throng.counter.measure is 'The counter of the cell: 0 is the count, i + 1 is sum i, then the firsts of the layout. Unit: none.';
comment on column throng.counter.cell is 'Mixed radix over the dimensions, the last one running fastest; where releases choose the bound, all of them once for each rung. Unit: none.';
comment on column throng.counter.value is 'Unit: events, or 10^-decimals of the sum''s unit. Saturates.';
grant select, insert, update on throng.counter to throng_ingest;
grant select on throng.counter to throng_reporter;

create table throng.distinct_count (
    shard smallint not null default 0,
    period_kind smallint not null,
    period_start timestamptz not null,
    metric_id integer not null,
    margin integer not null,
    cell integer not null,
    window_number bigint not null,
    devices bigint not null,
    constraint distinct_count_pkey
        primary key (shard, metric_id, period_kind, period_start, margin, cell, window_number)
) partition by range (period_kind, period_start);
comment on table throng.distinct_count is 'Distinct identifiers by cell and window: how many, never which. Deleted by the release of the period.';
comment on column throng.distinct_count.window_number is 'floor(unix time / rotation); from 2^40 on, of a window that was taken over under way, plus its epoch times 2^40. Unit: windows.';
comment on column throng.distinct_count.devices is 'Identifiers first seen in this cell in this window. Unit: identifiers. Saturates.';
grant select, insert, update on throng.distinct_count to throng_ingest;
grant select, delete on throng.distinct_count to throng_reporter;

create table throng.partition (
    period_kind smallint not null,
    range_start timestamptz not null,
    range_end timestamptz not null,
    has_counters boolean not null default true,
    has_distinct boolean not null default true,
    constraint partition_pkey primary key (period_kind, range_start),
    constraint partition_range_ascends check (range_start < range_end)
);
comment on table throng.partition is 'The partitions that exist: one a UTC day for hours and days, one a week, one a month.';
comment on column throng.partition.range_start is 'First period start that it holds. Unit: instant.';
comment on column throng.partition.range_end is 'First period start after those that it holds. Unit: instant.';
comment on column throng.partition.has_counters is 'Whether throng.counter still has this partition. Unit: yes or no.';
comment on column throng.partition.has_distinct is 'Whether throng.distinct_count still has this partition. Unit: yes or no.';

-- Adds without ever failing: an overflow must not wedge a daemon's flush.
create function throng.saturating_add(bigint, bigint) returns bigint
language sql immutable parallel safe
return case
    when $2 > 0 and $1 > 9223372036854775807 - $2 then 9223372036854775807
    when $2 < 0 and $1 < (-9223372036854775807 - 1) - $2 then -9223372036854775807 - 1
    else $1 + $2
end;
grant execute on function throng.saturating_add(bigint, bigint) to throng_ingest;

-- Deletes what withdrawals have brought to nothing in a daemon's shard: rows of 0 would say that somebody had been there.
-- It can delete nothing else.
create function throng.prune(wanted_shard smallint, metrics integer[], starts timestamptz[]) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    delete from throng.counter as known
    using unnest(metrics, starts) as touched (metric_id, period_start)
    where known.shard = wanted_shard
        and known.metric_id = touched.metric_id
        and known.period_start = touched.period_start
        and known.value = 0;
    delete from throng.distinct_count as known
    using unnest(metrics, starts) as touched (metric_id, period_start)
    where known.shard = wanted_shard
        and known.metric_id = touched.metric_id
        and known.period_start = touched.period_start
        and known.devices = 0;
end
$$;
grant execute on function throng.prune(smallint, integer[], timestamptz[]) to throng_ingest;

-- A tag is a hash of a point that is another one in each cell and period, by which nobody can tell whose it is; it is
-- there so that none counts twice, and goes with the release of its period.
create table throng.proved_first (
    metric_id integer not null,
    period_kind smallint not null,
    period_start timestamptz not null,
    margin integer not null,
    cell integer not null,
    tag bytea not null,
    constraint proved_first_pkey primary key (metric_id, period_kind, period_start, tag),
    constraint proved_first_layout foreign key (metric_id) references throng.metric_layout on delete cascade,
    constraint proved_first_period_kind_known check (period_kind between 0 and 3),
    -- Half of a SHA-256: two tags of a million devices are the same by a chance of 10^-27.
    constraint proved_first_tag_is_short check (octet_length(tag) = 16)
);
comment on table throng.proved_first is 'Devices that proved to be in a cell in a period, by tags that tell nobody which. Deleted by the release of the period.';
comment on column throng.proved_first.tag is 'Half of the SHA-256 of a credential''s tag in that cell and period. Unit: 16 bytes.';
grant select, insert on throng.proved_first to throng_ingest;
grant select, delete on throng.proved_first to throng_reporter;

create table throng.coverage (
    app text not null,
    hour timestamptz not null,
    kind text not null,
    events bigint not null,
    constraint coverage_pkey primary key (app, hour, kind),
    constraint coverage_on_the_hour check (extract(epoch from hour)::bigint % 3600 = 0)
);
comment on table throng.coverage is 'Events that clients sent, by what became of them: totals of a whole app, about nobody.';
comment on column throng.coverage.hour is 'The hour in which the window of their batch began. Unit: instant.';
comment on column throng.coverage.kind is 'accepted, late (counted into a later period, once a metric), or why they were refused. Unit: none.';
comment on column throng.coverage.events is 'The number of events. Unit: events.';
grant select, insert, update on throng.coverage to throng_ingest;
grant select, delete on throng.coverage to throng_reporter;

-- Deletes hours of which nothing is left: they would say that somebody was there.
create function throng.prune_coverage(app_name text) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
    delete from throng.coverage where app = app_name and events = 0;
$$;
grant execute on function throng.prune_coverage(text) to throng_ingest;

-- Open and closed periods ----------------------------------------------------------------------------------------------

create table throng.open_period (
    metric_id integer not null,
    period_start timestamptz not null,
    period_end timestamptz not null,
    constraint open_period_pkey primary key (metric_id, period_start),
    constraint open_period_metric_fkey foreign key (metric_id) references throng.metric_layout
);
comment on table throng.open_period is 'Periods that have counters and no release yet; spares the release step a scan of every counter.';
grant select, insert on throng.open_period to throng_ingest;
grant select, insert, delete on throng.open_period to throng_reporter;

create table throng.closed_period (
    metric_id integer not null,
    period_start timestamptz not null,
    period_end timestamptz not null,
    constraint closed_period_pkey primary key (metric_id, period_start),
    constraint closed_period_metric_fkey foreign key (metric_id) references throng.metric_layout
);
create index closed_period_by_end on throng.closed_period (period_end);
comment on table throng.closed_period is 'Periods that were released: their counters never change.';
grant select on throng.closed_period to throng_ingest;
grant select, insert on throng.closed_period to throng_reporter;

create table throng.open_rollup (
    metric_id integer not null,
    period_kind smallint not null,
    period_start timestamptz not null,
    period_end timestamptz not null,
    constraint open_rollup_pkey primary key (metric_id, period_kind, period_start),
    constraint open_rollup_metric_fkey foreign key (metric_id) references throng.metric_layout,
    constraint open_rollup_period_kind_known check (period_kind between 0 and 3)
);
comment on table throng.open_rollup is 'Coarser periods of which a part was released and that are to be released themselves; keeps the counters of their parts.';
grant select, insert, delete on throng.open_rollup to throng_reporter;

-- Partitions -----------------------------------------------------------------------------------------------------------

-- The first instant of the partition that holds a period. Hours and days share the grain of a UTC day.
create function throng.partition_start(period_kind smallint, period_start timestamptz) returns timestamptz
language sql immutable
return date_trunc(
    case period_kind when 2 then 'week' when 3 then 'month' else 'day' end,
    period_start at time zone 'UTC'
) at time zone 'UTC';

-- The first instant after a partition.
create function throng.partition_end(period_kind smallint, range_start timestamptz) returns timestamptz
language sql immutable
return (
    range_start at time zone 'UTC'
    + case period_kind when 2 then interval '7 days' when 3 then interval '1 month' else interval '1 day' end
) at time zone 'UTC';

-- counter_d_20261121: parent, kind of period, first UTC day.
create function throng.partition_name(parent text, period_kind smallint, range_start timestamptz) returns text
language sql immutable
return parent || '_' || (array['h', 'd', 'w', 'm'])[period_kind + 1] || '_'
    || to_char(range_start at time zone 'UTC', 'YYYYMMDD');

-- Whether a partition may be made for a period. A clock that is years ahead, or a value that is no time at all, must not
-- fill the catalogue; but where periods were released ahead of the time, what comes late for them goes behind the last.
create function throng.takes_period(period_start timestamptz) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select period_start >= timestamptz '2020-01-01 00:00:00+00'
        and (
            period_start <= now() + interval '100 days'
            or period_start <= (select coalesce(max(period_end), '-infinity') from throng.closed_period)
        )
$$;
grant execute on function throng.takes_period(timestamptz) to throng_ingest;

-- Creates the partitions that hold these periods, unless they are there; returns how many it created.
--
-- A partition is created by itself and then attached: that takes a lock which does not stop other daemons' flushes.
create function throng.ensure_partitions(wanted_kind smallint, wanted_starts timestamptz[]) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    -- Key of the lock that lets one session at a time create or drop partitions: "THRG" and 1.
    guard constant bigint := 6073194562405269505;
    made integer := 0;
    low timestamptz;
    high timestamptz;
    parent text;
    child text;
begin
    if wanted_kind not between 0 and 3 then
        raise exception 'there is no period kind %', wanted_kind using errcode = 'invalid_parameter_value';
    end if;
    perform pg_advisory_xact_lock(guard);
    for low in
        select distinct throng.partition_start(wanted_kind, wanted) from unnest(wanted_starts) as wanted
        order by 1
    loop
        if not throng.takes_period(low) and not exists (
            select from throng.partition as known
            where known.period_kind = wanted_kind and known.range_start = low
        ) then
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
-- The schedule makes partitions by the clock: one that exists only where something was counted tells so to everybody who
-- can list tables.
grant execute on function throng.ensure_partitions(smallint, timestamptz[]) to throng_ingest, throng_reporter;

-- Daemons: who is one, and who counts which identifiers ----------------------------------------------------------------

create table throng.member (
    daemon uuid not null,
    shard smallint not null,
    address text,
    heard bigint not null default 0,
    enrolled_at timestamptz not null default now(),
    retired_at timestamptz,
    lost_since timestamptz,
    owed_until timestamptz,
    constraint member_pkey primary key (daemon),
    constraint member_shard_unique unique (shard),
    constraint member_shard_not_negative check (shard >= 0)
);
comment on table throng.member is 'Every daemon that ever attached to this database, whether it counts or not.';
comment on column throng.member.shard is 'Its own in the counters, never given to another. Unit: none.';
comment on column throng.member.address is 'The address at which other daemons reach it; null where they can''t. Unit: URL.';
comment on column throng.member.heard is 'The last epoch that it has agreed to. Unit: epochs.';
comment on column throng.member.enrolled_at is 'When it attached first. Unit: instant.';
comment on column throng.member.retired_at is 'When it was said to be lost: it never attaches again. Null for all others. Unit: instant.';
comment on column throng.member.lost_since is 'Of one that was said to be lost: what it acknowledged from here on may be lost with it. Null where nothing is, and for all others. Unit: instant.';
comment on column throng.member.owed_until is 'When the last window is over that the daemon had open, as it said last, and whose end brings PostgreSQL something; null for none. Unit: instant.';
grant select on throng.member to throng_ingest, throng_reporter;

create table throng.epoch (
    epoch bigint not null,
    begins_at timestamptz not null,
    owners smallint[] not null,
    retires smallint,
    state text not null,
    constraint epoch_pkey primary key (epoch),
    constraint epoch_has_256_owners check (cardinality(owners) = 256),
    constraint epoch_state_known check (state in ('proposed', 'in force', 'void'))
);
comment on table throng.epoch is 'The daemons that count identifiers, slot by slot, and from when on. Once one is in force or void it never changes.';
comment on column throng.epoch.epoch is 'Counted from 1. Unit: epochs.';
comment on column throng.epoch.begins_at is 'Windows that are opened to clients from here on are counted by it; a proposal that not all have agreed to by then is void. Unit: instant.';
comment on column throng.epoch.owners is 'By slot, which is the first byte of the SHA-256 of an identifier, the shard that counts it. Unit: shards.';
comment on column throng.epoch.retires is 'The shard of a daemon that is lost: others count for it at once, also in windows under way. Null for nobody. Unit: shards.';
comment on column throng.epoch.state is 'proposed, in force or void. Unit: none.';
grant select on throng.epoch to throng_ingest, throng_reporter;

create table throng.member_secret (
    one boolean not null default true,
    secret bytea not null,
    constraint member_secret_pkey primary key (one),
    constraint member_secret_is_one check (one),
    constraint member_secret_length check (octet_length(secret) = 32)
);
comment on table throng.member_secret is 'The secret by which daemons know one another where they hand requests on.';
comment on column throng.member_secret.one is 'There is one row. Unit: none.';
comment on column throng.member_secret.secret is 'Random. Unit: 32 bytes.';
insert into throng.member_secret (secret)
values (sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())));
grant select on throng.member_secret to throng_ingest;

-- A fence follows the clock of the daemon that attaches, so that a fence of a database that was restored from an older
-- copy is never met again: a lower one than a process holds tells that the database is older than its attachment.
--
-- A daemon that takes another's place with a copy of its data directory claims it first and waits: until then the holder
-- may go on acknowledging, because it can't know better. It sees the claim, flushes what it has acknowledged and gives its
-- place back.
--
-- A daemon that stops while windows are open in which it counts identifiers owes PostgreSQL what these come to.
--
-- The counters alone say less than it seems: a flush may have waited for PostgreSQL for minutes, and a daemon that has
-- just attached may have much to bring. So a daemon says until when it is complete, by PostgreSQL's own clock.
create table throng.watermark (
    shard smallint not null default 0,
    daemon uuid not null,
    position bigint not null,
    fence bigint not null,
    attached_at timestamptz not null default now(),
    advanced_at timestamptz not null default now(),
    holder text,
    claim bigint,
    settled bigint not null default 0,
    settled_at timestamptz,
    complete_at timestamptz,
    constraint watermark_pkey primary key (shard, daemon),
    constraint watermark_position_not_negative check (position >= 0)
) with (fillfactor = 50);
comment on table throng.watermark is 'The place up to which each daemon''s journal is in the counters of its shard.';
comment on column throng.watermark.position is 'Everything up to this place is in the counters. Unit: batches.';
comment on column throng.watermark.fence is 'Grows whenever a process attaches; only the last one may flush. Unit: microseconds since 1970.';
comment on column throng.watermark.attached_at is 'When a process last attached. Unit: instant.';
comment on column throng.watermark.advanced_at is 'When the position last moved. Unit: instant.';
comment on column throng.watermark.holder is 'The lock of the process that attached last: boot id, device and inode; null where it has given its place back. Unit: none.';
comment on column throng.watermark.claim is 'The fence of the process that waits to take the place, negative once the holder has heard of it; null where nobody waits. Unit: as fence.';
comment on column throng.watermark.settled is 'The last asking of which all that was acknowledged before is in the counters; 2^63 - 1 of a daemon that has stopped and left nothing behind, and 2^62 plus Unix seconds of one that owes something from then on, as windows are over that were open when it stopped. Unit: askings.';
comment on column throng.watermark.settled_at is 'When it said so last; null where it never did. Unit: instant.';
comment on column throng.watermark.complete_at is 'All that it acknowledged before is in the counters; null where it has not said so. Unit: instant.';
grant select, insert, update on throng.watermark to throng_ingest;
grant select (shard, daemon, settled, settled_at, advanced_at, attached_at) on throng.watermark to throng_reporter;

-- A copy of a daemon's data directory does not know which windows the daemon closed after it was made. It closes none of
-- them again, whatever clock they were closed by: how far closings went is beside the watermark that has them.
create table throng.window_closing (
    shard smallint not null default 0,
    daemon uuid not null,
    position bigint not null,
    ended bigint not null,
    constraint window_closing_pkey primary key (shard, daemon, position)
);
comment on table throng.window_closing is 'Until when each daemon''s windows were closed. A row that a later one reaches beyond is gone: there is one, and more only after a clock that was ahead.';
comment on column throng.window_closing.position is 'The closings are in the journal up to this place. Unit: batches.';
comment on column throng.window_closing.ended is 'When the latest of the windows was over, by the clock that closed it, which may show years that no instant reaches. Unit: Unix seconds.';
grant select on throng.window_closing to throng_ingest;

-- Notes until when windows were closed with a flush; rows that this one reaches beyond go.
create function throng.close_windows(
    wanted_shard smallint, wanted_daemon uuid, wanted_position bigint, wanted_ended bigint
) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
    delete from throng.window_closing where shard = wanted_shard
        and daemon = wanted_daemon
        and ended <= wanted_ended;
    insert into throng.window_closing (shard, daemon, position, ended)
    values (wanted_shard, wanted_daemon, wanted_position, wanted_ended);
$$;
grant execute on function throng.close_windows(smallint, uuid, bigint, bigint) to throng_ingest;

-- One daemon at a time looks at what is due, so that not all of them compute the same.
create table throng.lease (
    name text not null,
    daemon uuid not null,
    until timestamptz not null,
    constraint lease_pkey primary key (name)
);
comment on table throng.lease is 'A task that one daemon does for all of them, and until when that has it.';
comment on column throng.lease.name is 'The task. Unit: none.';
comment on column throng.lease.daemon is 'The daemon that has it. Unit: none.';
comment on column throng.lease.until is 'From here on anybody may take it. Unit: instant.';
grant select, insert, update, delete on throng.lease to throng_reporter;

-- Lets one session at a time change members and epochs: "THRG" and 31.
create function throng.lock_members() returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
    select pg_advisory_xact_lock(6073194562405269535)
$$;

-- Says which shard a daemon has, and where others reach it; null for one that was retired. The first that takes batches
-- counts everything; a later one counts nothing until it joins, or until the only one that counts has stopped.
--
-- Where daemons can reach one another, one that stops is likely to come back, and its place is taken only by one that was
-- not there before, once nothing was heard of it for a quarter of an hour. Otherwise a person has to say that it is lost.
-- No question asks for watermarks within another: a coordinator of Citus can't.
create function throng.enroll(wanted_daemon uuid, wanted_address text, takes_batches boolean) returns smallint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    own smallint;
    last throng.epoch;
    counting smallint;
    left_at timestamptz;
begin
    update throng.member set address = wanted_address
    where daemon = wanted_daemon and address is distinct from wanted_address;
    if exists (select from throng.member where daemon = wanted_daemon and retired_at is not null) then
        return null;
    end if;
    perform throng.lock_members();
    insert into throng.member (daemon, shard, address)
    select wanted_daemon, coalesce(max(shard) + 1, 0), wanted_address from throng.member
    on conflict (daemon) do nothing;
    select shard into own from throng.member where daemon = wanted_daemon;
    if not takes_batches then return own; end if;
    insert into throng.epoch (epoch, begins_at, owners, state)
    select 1, '-infinity', array_fill(own, array[256]), 'in force' where not exists (select from throng.epoch);
    -- Where the only one that counts has stopped and left nothing behind, one that is started in its place goes on.
    select * into last from throng.epoch where state = 'in force' order by epoch desc limit 1;
    counting := last.owners[1];
    if own <> all (last.owners)
        and counting = all (last.owners)
        and not exists (select from throng.epoch where state = 'proposed')
    then
        select coalesce(mark.settled_at, mark.attached_at) into left_at from throng.watermark as mark
        where mark.shard = counting and mark.settled >= 4611686018427387904;
        if found
            and (
                (wanted_address is null and exists (select from throng.member where shard = counting and address is null))
                or (
                    left_at < clock_timestamp() - interval '15 minutes'
                    and exists (select from throng.member where shard = own and enrolled_at > left_at)
                )
            )
        then
            insert into throng.epoch (epoch, begins_at, owners, retires, state)
            select max(epoch) + 1, clock_timestamp(), array_fill(own, array[256]), counting, 'in force'
            from throng.epoch;
        end if;
    end if;
    return own;
end
$$;
grant execute on function throng.enroll(uuid, text, boolean) to throng_ingest;

-- Daemons whose agreement an epoch needs: all that count by it, or by the one that is in force before it. A retired one
-- can agree to nothing.
create function throng.concerned(wanted_epoch bigint) returns table (shard smallint)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
    select distinct member.shard from throng.epoch as known
    cross join lateral unnest(known.owners) as owner
    join throng.member on member.shard = owner
    where member.retired_at is null
        and (
            known.epoch = wanted_epoch
            or known.epoch = (
                select max(before.epoch) from throng.epoch as before
                where before.epoch < wanted_epoch and before.state = 'in force'
            )
        )
$$;
grant execute on function throng.concerned(bigint) to throng_reporter;

-- Whether all owners are daemons that still count.
create function throng.can_count(wanted_owners smallint[]) returns boolean
language sql stable set search_path = pg_catalog, pg_temp as $$
    select not exists (
        select from unnest(wanted_owners) as owner
        left join throng.member on member.shard = owner
        where member.shard is null or member.retired_at is not null
    )
$$;

-- Proposes who counts from an instant on; returns the number of the new epoch. Null where another proposal is open or was
-- faster, and where one of the owners is retired. For the schema's owner.
create function throng.propose_epoch(after bigint, wanted_seconds integer, wanted_owners smallint[]) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    last bigint;
begin
    perform throng.lock_members();
    update throng.epoch set state = 'void' where state = 'proposed' and begins_at <= clock_timestamp();
    select max(epoch) into last from throng.epoch;
    if exists (select from throng.epoch where state = 'proposed')
        or last is distinct from after
        or not throng.can_count(wanted_owners)
    then
        return null;
    end if;
    insert into throng.epoch (epoch, begins_at, owners, state)
    values (last + 1, clock_timestamp() + make_interval(secs => wanted_seconds), wanted_owners, 'proposed');
    return last + 1;
end
$$;

-- Notes that a daemon agrees to a proposal; the last one brings it into force. Once its time has come nobody can agree to
-- it, and it is void.
create function throng.hear_epoch(wanted_daemon uuid, wanted_epoch bigint) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    perform throng.lock_members();
    update throng.epoch set state = 'void' where state = 'proposed' and begins_at <= clock_timestamp();
    if not exists (select from throng.epoch where epoch = wanted_epoch and state = 'proposed') then
        return;
    end if;
    update throng.member set heard = wanted_epoch where daemon = wanted_daemon and retired_at is null;
    if not exists (
        select from throng.concerned(wanted_epoch)
        join throng.member using (shard)
        where heard < wanted_epoch
    ) then
        update throng.epoch set state = 'in force' where epoch = wanted_epoch;
    end if;
end
$$;
grant execute on function throng.hear_epoch(uuid, bigint) to throng_ingest;

-- Gives up proposals whose time has come: not all have agreed.
create function throng.void_epochs() returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
    select throng.lock_members()
    where exists (select from throng.epoch where state = 'proposed' and begins_at <= clock_timestamp());
    update throng.epoch set state = 'void' where state = 'proposed' and begins_at <= clock_timestamp();
$$;
grant execute on function throng.void_epochs() to throng_ingest;

-- Ends the wait for a daemon that is lost, and notes since when something may be lost with it: all that it never said to be
-- in the counters. No statement about a node of Citus names a clock.
create function throng.give_up(wanted_daemon uuid, own smallint) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
    complete timestamptz;
    is_settled boolean;
begin
    -- No process has this fence: whatever still runs flushes nothing more, and nobody waits for it.
    update throng.watermark as mark
    set fence = 9223372036854775807,
        holder = null,
        claim = null
    where mark.shard = own and mark.daemon = wanted_daemon;
    select mark.complete_at into complete from throng.watermark as mark
    where mark.shard = own and mark.daemon = wanted_daemon and mark.settled < 9223372036854775807;
    is_settled := not found;
    update throng.watermark as mark set settled = 9223372036854775807
    where mark.shard = own and mark.daemon = wanted_daemon;
    update throng.member
    set retired_at = clock_timestamp(),
        lost_since = case when not is_settled then coalesce(complete, enrolled_at) end
    where daemon = wanted_daemon;
end
$$;

-- Lets others count for a daemon that is lost, at once; returns the number of the new epoch. Null where another one was
-- faster, and where one of the owners is retired. What it acknowledged and PostgreSQL does not have is lost with it. For
-- the schema's owner.
create function throng.retire_member(wanted_daemon uuid, after bigint, wanted_owners smallint[]) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    last bigint;
    own smallint;
begin
    perform throng.lock_members();
    update throng.epoch set state = 'void' where state = 'proposed';
    select max(epoch) into last from throng.epoch;
    select shard into own from throng.member where daemon = wanted_daemon and retired_at is null;
    if own is null
        or last is distinct from after
        or own = any (wanted_owners)
        or not throng.can_count(wanted_owners)
    then
        return null;
    end if;
    perform throng.give_up(wanted_daemon, own);
    insert into throng.epoch (epoch, begins_at, owners, retires, state)
    values (last + 1, clock_timestamp(), wanted_owners, own, 'in force');
    return last + 1;
end
$$;

-- Tells PostgreSQL of an epoch that was in force before it was set back to an earlier time. Daemons are named, because
-- shards may be given anew. False where another epoch has taken its place, or where one of its owners is retired.
create function throng.recall_epoch(
    wanted_epoch bigint, wanted_begins bigint, wanted_owners uuid[], wanted_lost uuid, is_retired boolean
) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    shards smallint[];
    lost smallint;
    other throng.epoch;
begin
    perform throng.lock_members();
    insert into throng.member (daemon, shard)
    select missing.daemon,
        (select coalesce(max(shard), -1) from throng.member) + row_number() over (order by missing.daemon)
    from (select distinct daemon from unnest(wanted_owners || wanted_lost) as daemon where daemon is not null) as missing
    where not exists (select from throng.member where member.daemon = missing.daemon);
    select array_agg(member.shard order by owner.place) into shards
    from unnest(wanted_owners) with ordinality as owner (daemon, place)
    join throng.member on member.daemon = owner.daemon;
    select shard into lost from throng.member where daemon = wanted_lost;
    select * into other from throng.epoch where epoch >= wanted_epoch and state = 'in force' order by epoch limit 1;
    if found then
        return other.epoch = wanted_epoch and other.owners = shards and other.retires is not distinct from lost;
    end if;
    if not throng.can_count(shards) then return false; end if;
    insert into throng.epoch (epoch, begins_at, owners, retires, state)
    values (wanted_epoch, coalesce(to_timestamp(wanted_begins), '-infinity'), shards, lost, 'in force')
    on conflict (epoch) do update
    set begins_at = excluded.begins_at,
        owners = excluded.owners,
        retires = excluded.retires,
        state = excluded.state;
    if is_retired and exists (select from throng.member where daemon = wanted_lost and retired_at is null) then
        perform throng.give_up(wanted_lost, lost);
    end if;
    return true;
end
$$;
grant execute on function throng.recall_epoch(bigint, bigint, uuid[], uuid, boolean) to throng_ingest;

-- Notes until when a daemon owes something. Releases go on two days after a daemon was heard of last; where it has windows
-- open whose end brings numbers that no release can make up for, these days begin once the last of them is over.
create function throng.owe(wanted_daemon uuid, wanted_until bigint) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
    update throng.member set owed_until = to_timestamp(wanted_until) where daemon = wanted_daemon
        and owed_until is distinct from to_timestamp(wanted_until);
$$;
grant execute on function throng.owe(uuid, bigint) to throng_ingest;

-- The time that is believed, and what daemons have delivered -----------------------------------------------------------

-- A release, a deletion and the end of a window can't be taken back, and all three go by a clock. A private PostgreSQL
-- has the clock of its machine, so that asking it proves nothing: what a later start is measured by is written down.
create table throng.clock (
    one boolean not null default true,
    believed_at timestamptz not null,
    machine text not null,
    uptime bigint not null,
    confirmations bigint not null default 0,
    constraint clock_pkey primary key (one),
    constraint clock_is_one check (one),
    constraint clock_uptime_not_negative check (uptime >= 0)
);
comment on table throng.clock is 'The latest time of day that a daemon believed, or that an operator confirmed: one row.';
comment on column throng.clock.one is 'Always true: there is one row at most. Unit: none.';
comment on column throng.clock.believed_at is 'The time of day. Unit: instant.';
comment on column throng.clock.machine is 'The start of the machine in which it was read. Unit: the kernel''s boot id.';
comment on column throng.clock.uptime is 'The time that the machine had run then, by a clock that nobody sets. Unit: seconds.';
comment on column throng.clock.confirmations is 'The number of times that an operator has said what time it is. Unit: times.';
grant select, insert, update on throng.clock to throng_reporter;

-- A daemon that is about to release takes the next number; a daemon that has seen a number, and whose flush has taken all
-- that it had acknowledged by then, writes it beside its watermark. No clock has a part in it.
create sequence throng.settlement as bigint;
-- A sequence that was never asked says 1, too; after this it says what was asked for last.
select nextval('throng.settlement');
comment on sequence throng.settlement is 'The number of times that somebody has asked whether PostgreSQL has all that daemons acknowledged. Unit: times.';
grant select on sequence throng.settlement to throng_ingest;
grant usage on sequence throng.settlement to throng_reporter;

-- Plans: which one is in force, and which one each daemon counts by ----------------------------------------------------

-- Several daemons of one database may have different plans of an app: a new one is brought to one after the other, and one
-- may be forgotten. Terms and promises of a plan hold for as long as some daemon counts by it.
create table throng.plan_in_force (
    app text not null,
    place integer not null,
    plan bytea not null,
    since timestamptz not null,
    until timestamptz,
    daemon uuid not null,
    arrival text not null,
    constraint plan_in_force_pkey primary key (app, place),
    constraint plan_in_force_hash_fits check (octet_length(plan) = 32),
    constraint plan_in_force_arrival_known check (arrival in ('first', 'edited', 'applied', 'inherited'))
);
-- One of each app.
create unique index plan_in_force_is_one on throng.plan_in_force (app) where until is null;
comment on table throng.plan_in_force is 'The plan of each app that is in force, and those that were. Rows go only with their app.';
comment on column throng.plan_in_force.place is 'Counts from 1 in each app. Unit: none.';
comment on column throng.plan_in_force.plan is 'SHA-256 of the plan''s text. Unit: 32 bytes.';
comment on column throng.plan_in_force.since is 'When it came into force. Unit: instant.';
comment on column throng.plan_in_force.until is 'When another one did; null for the one in force. Unit: instant.';
comment on column throng.plan_in_force.daemon is 'The daemon that brought it. Unit: none.';
comment on column throng.plan_in_force.arrival is 'The reason: first (there was none), edited (in the place of the one in force, where the daemon counted by that), applied (an operator said so), or inherited (nobody else had the one that was in force). Unit: none.';

create table throng.member_plan (
    daemon uuid not null,
    app text not null,
    plan bytea not null,
    since timestamptz not null,
    stopped_at timestamptz,
    constraint member_plan_pkey primary key (daemon, app),
    constraint member_plan_hash_fits check (octet_length(plan) = 32)
);
comment on table throng.member_plan is 'The plan by which each daemon counts, or counted last.';
comment on column throng.member_plan.daemon is 'The daemon. Unit: none.';
comment on column throng.member_plan.plan is 'SHA-256 of the plan''s text. Unit: 32 bytes.';
comment on column throng.member_plan.since is 'When it first said so. Unit: instant.';
comment on column throng.member_plan.stopped_at is 'When it stopped and left nothing behind, or ceased to serve the app; null while it may count. Unit: instant.';

grant select on throng.plan_in_force, throng.member_plan to throng_ingest, throng_reporter;

-- Lets one session at a time say by which plans a daemon counts: "THRG" and 33.
create function throng.lock_plans() returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
    select pg_advisory_xact_lock(6073194562405269537)
$$;

-- Notes by which plan of an app a daemon counts; says which one is in force then, and whether all daemons that count do so
-- by it.
--
-- A plan comes into force where none is, where an operator says so, or where it takes the place of the one in force in the
-- file of a daemon that counted by that one: that is an edit of what is in force. Any other plan is older, or was made from
-- an older one, and leaves it as it is. So that nothing waits for a daemon that never comes back, a plan is inherited where
-- everybody else who has the one in force was retired; and by a daemon that is new, where all others have stopped and left
-- nothing behind.
create function throng.announce_plan(wanted_daemon uuid, wanted_app text, wanted_plan bytea, is_applied boolean)
    returns table (
        plan bytea, since timestamptz, daemon uuid, arrival text, has_arrived boolean, is_everywhere boolean
    )
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    current throng.plan_in_force;
    former bytea;
    instant timestamptz;
begin
    perform throng.lock_plans();
    -- The time is read under the lock: no earlier than what the session that had it before has written.
    instant := date_trunc('second', clock_timestamp());
    select known.* into current from throng.plan_in_force as known where known.app = wanted_app and known.until is null;
    select known.plan into former from throng.member_plan as known
    where known.daemon = wanted_daemon and known.app = wanted_app;
    has_arrived := false;
    if not exists (select from throng.member where member.daemon = wanted_daemon and retired_at is not null) then
        insert into throng.member_plan as known (daemon, app, plan, since)
        values (wanted_daemon, wanted_app, wanted_plan, instant)
        on conflict on constraint member_plan_pkey do update
        set plan = excluded.plan,
            since = case when known.plan = excluded.plan then known.since else excluded.since end,
            stopped_at = null
        where known.plan <> excluded.plan or known.stopped_at is not null;
        arrival := case
            when current.app is null then 'first'
            when current.plan = wanted_plan then null
            when is_applied then 'applied'
            when former = current.plan then 'edited'
            when not exists (
                select from throng.member_plan as other
                left join throng.member on member.daemon = other.daemon
                where other.app = wanted_app
                    and other.daemon <> wanted_daemon
                    and member.retired_at is null
                    and case when former is null then other.stopped_at is null else other.plan = current.plan end
            ) then 'inherited'
        end;
        if arrival is not null then
            has_arrived := true;
            update throng.plan_in_force as known set until = instant
            where known.app = wanted_app and known.until is null;
            insert into throng.plan_in_force as known (app, place, plan, since, daemon, arrival)
            values (wanted_app, coalesce(current.place, 0) + 1, wanted_plan, instant, wanted_daemon, arrival)
            returning known.* into current;
        end if;
    end if;
    -- A daemon that was retired brings nothing into force, also where nothing is.
    plan := coalesce(current.plan, wanted_plan);
    since := coalesce(current.since, instant);
    daemon := coalesce(current.daemon, wanted_daemon);
    arrival := coalesce(current.arrival, 'first');
    is_everywhere := not exists (
        select from throng.member_plan as other
        left join throng.member on member.daemon = other.daemon
        where other.app = wanted_app
            and other.plan <> current.plan
            and other.stopped_at is null
            and member.retired_at is null
    );
    return next;
end
$$;
grant execute on function throng.announce_plan(uuid, text, bytea, boolean) to throng_ingest;

-- Notes that nothing is counted by a daemon's plans, but those of some apps, until it says so again.
create function throng.stop_plans(wanted_daemon uuid, kept text[]) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
    select throng.lock_plans()
    where exists (
        select from throng.member_plan where daemon = wanted_daemon and app <> all (kept) and stopped_at is null
    );
    update throng.member_plan set stopped_at = clock_timestamp()
    where daemon = wanted_daemon and app <> all (kept) and stopped_at is null;
$$;
grant execute on function throng.stop_plans(uuid, text[]) to throng_ingest;

-- Citus may hold the counters: several PostgreSQL by shard, and everything else on the coordinator ----------------------

-- The number of nodes that hold them; 0 where this PostgreSQL has them itself.
create function throng.counter_nodes() returns bigint
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
    -- The tables below are an extension's.
    if to_regclass('pg_catalog.pg_dist_partition') is null then return 0; end if;
    if not exists (select from pg_catalog.pg_dist_partition where logicalrelid = 'throng.watermark'::regclass) then
        return 0;
    end if;
    return (select count(*) from pg_catalog.pg_dist_node where noderole = 'primary' and isactive and shouldhaveshards);
end
$$;
grant execute on function throng.counter_nodes() to throng_ingest, throng_reporter;

-- Hands the counters over to the nodes of a cluster of Citus, with what they hold; returns what is in the way, or nothing.
-- For a superuser.
--
-- A daemon counts in one shard, so that a flush is one node's transaction, its watermark's too. The roles of daemons and
-- releases have to log in from then on, because a coordinator speaks to nodes as whoever speaks to it.
create function throng.distribute(wanted_parts integer) returns text
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
    name text;
begin
    if to_regclass('pg_catalog.pg_dist_partition') is null then
        return 'no extension';
    end if;
    if throng.counter_nodes() > 0 then return 'distributed'; end if;
    if not exists (select from pg_catalog.pg_dist_node where noderole = 'primary' and isactive and shouldhaveshards) then
        return 'no nodes';
    end if;
    execute 'alter role throng_ingest login';
    execute 'alter role throng_reporter login';
    -- A row that one user has changed on a node no other may touch in the same transaction, so a flush does all of it as
    -- itself.
    execute 'alter function throng.prune(smallint, integer[], timestamptz[]) security invoker';
    execute 'alter function throng.close_windows(smallint, uuid, bigint, bigint) security invoker';
    execute 'grant delete on throng.counter, throng.distinct_count to throng_ingest';
    execute 'grant insert, delete on throng.window_closing to throng_ingest';
    -- Upserts name it on every node; where the extension is older than the schema it is there already.
    perform pg_catalog.create_distributed_function('throng.saturating_add(bigint, bigint)');
    foreach name in array array['watermark', 'window_closing', 'counter', 'distinct_count'] loop
        if name = 'watermark' then
            perform pg_catalog.create_distributed_table('throng.watermark', 'shard', shard_count => wanted_parts);
        else
            perform pg_catalog.create_distributed_table(
                format('throng.%I', name)::regclass, 'shard', colocate_with => 'throng.watermark');
        end if;
        -- Without this a copy stays here, and no promise to delete would ever reach it.
        perform pg_catalog.truncate_local_data_after_distributing_table(format('throng.%I', name)::regclass);
    end loop;
    return null;
end
$$;

-- Waits for flushes under way and holds off later ones to the end of the transaction, where nodes hold the counters: there
-- is no snapshot over nodes, and a flush that is committed here may still be on its way to one. One PostgreSQL needs no
-- such wait.
create function throng.hold_counters() returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    known record;
begin
    if throng.counter_nodes() = 0 then return; end if;
    for known in select shard, daemon from throng.member order by shard loop
        perform from throng.watermark as mark where mark.shard = known.shard and mark.daemon = known.daemon for share;
    end loop;
end
$$;
grant execute on function throng.hold_counters() to throng_reporter;

-- Releases -------------------------------------------------------------------------------------------------------------

create table throng.release (
    release_id bigint generated always as identity,
    metric_id integer not null,
    app text not null,
    metric text not null,
    period_kind smallint not null,
    period_start timestamptz not null,
    period_end timestamptz not null,
    threshold bigint not null,
    plan text not null,
    header json not null,
    digest bytea not null,
    released_at timestamptz not null default transaction_timestamp(),
    period text not null,
    local_date date not null,
    constraint release_pkey primary key (release_id),
    constraint release_once unique (metric_id, period_kind, period_start),
    constraint release_metric_fkey foreign key (metric_id) references throng.metric_layout,
    constraint release_digest_is_sha256 check (octet_length(digest) = 32)
);
create index release_by_period on throng.release (app, metric, period_kind, period_start);
comment on table throng.release is 'The ledger: what left the house, once per metric and period. Never changes.';
comment on column throng.release.release_id is 'Short name in released_cell. Unit: none.';
comment on column throng.release.threshold is 'k: the least number of devices that each number stands for. Unit: devices.';
comment on column throng.release.plan is 'SHA-256 of the plan in force. Unit: hexadecimal digits.';
comment on column throng.release.header is 'The release''s header, byte by byte as it went into the digest: JSON. Unit: none.';
comment on column throng.release.digest is 'SHA-256 over header and cells. Unit: 32 bytes.';
comment on column throng.release.released_at is 'When it was made. Unit: instant.';
comment on column throng.release.period is 'The period as reports write it: 2026-11-21T10:00, 2026-11-21, 2026-W47, 2026-11. Unit: none.';
comment on column throng.release.local_date is 'The date of its first second, by the layout''s time zone. Unit: day.';
grant select, insert on throng.release to throng_reporter;

-- Names a release's period by its app's clock, as PeriodCalendar does: an hour that the clock shows twice has its offset
-- behind it.
create function throng.name_period() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    zone constant text := (select layout ->> 'timeZone' from throng.metric_layout where metric_id = new.metric_id);
    clock constant timestamp := new.period_start at time zone zone;
    here constant interval := clock - new.period_start at time zone 'UTC';
begin
    new.local_date := clock::date;
    new.period := to_char(
        clock,
        (array['YYYY-MM-DD"T"HH24:MI', 'YYYY-MM-DD', 'IYYY"-W"IW', 'YYYY-MM'])[new.period_kind + 1]);
    if new.period_kind = 0 and exists (
        select from unnest(array[interval '-1 day', '1 day']) as away,
            lateral (select new.period_start + away) as near (instant),
            lateral (select near.instant at time zone zone - near.instant at time zone 'UTC') as there (shift)
        where there.shift <> here and (new.period_start + (here - there.shift)) at time zone zone = clock
    ) then
        new.period := new.period || case when here < interval '0' then '-' else '+' end
            || to_char(greatest(here, -here), 'HH24:MI');
    end if;
    return new;
end
$$;
create trigger release_names_its_period before insert on throng.release
for each row execute function throng.name_period();

create table throng.released_cell (
    release_id bigint not null,
    margin integer not null,
    cell integer not null,
    buckets text[] not null,
    count bigint not null,
    sums bigint[] not null,
    reach bigint,
    firsts bigint,
    count_margin bigint not null,
    sum_margins bigint[] not null,
    reach_margin bigint,
    constraint released_cell_pkey primary key (release_id, margin, cell),
    constraint released_cell_release_fkey foreign key (release_id) references throng.release,
    constraint released_cell_margin_a_sum check (cardinality(sum_margins) = cardinality(sums)),
    constraint released_cell_margin_of_devices check ((reach_margin is null) = (reach is null and firsts is null))
);
comment on table throng.released_cell is 'Published cells; what is not here was withheld.';
comment on column throng.released_cell.buckets is 'One label per dimension of the layout; null is summed out. Unit: none.';
comment on column throng.released_cell.count is '19 of 20 lie within count_margin of what was counted. Unit: events, or identifiers.';
comment on column throng.released_cell.sums is 'One a sum of the layout. Unit: 10^-decimals of the sum''s unit.';
comment on column throng.released_cell.reach is 'Devices; null where it is not published. Unit: devices.';
comment on column throng.released_cell.firsts is 'Devices by what clients say; null where they are not asked. Unit: devices.';
comment on column throng.released_cell.count_margin is '19 of 20 counts lie within this of what was counted. Unit: the count''s.';
comment on column throng.released_cell.sum_margins is 'The same for each sum. Unit: 10^-decimals of the sum''s unit.';
comment on column throng.released_cell.reach_margin is 'The same for reach, or for firsts; null where neither is published. Unit: devices.';
grant select, insert on throng.released_cell to throng_reporter;

create table throng.withheld_cell (
    release_id bigint not null,
    margin integer not null,
    cell integer not null,
    reason smallint not null,
    floor bigint,
    constraint withheld_cell_pkey primary key (release_id, margin, cell),
    constraint withheld_cell_release_fkey foreign key (release_id) references throng.release,
    constraint withheld_cell_reason_known check (reason between 0 and 1),
    constraint withheld_cell_floor_where_small check ((reason = 0) = (floor is not null))
);
comment on table throng.withheld_cell is 'Occupied cells of released groupings that were withheld. For operators only: it tells small cells from empty ones. It goes with the raw counters.';
comment on column throng.withheld_cell.reason is '0 small, 1 near k: enough devices, and the drawn number is under k and its margin. Unit: none.';
comment on column throng.withheld_cell.floor is 'Of a small one the devices that are proved behind it, else null. Unit: devices.';
grant select, insert on throng.withheld_cell to throng_reporter;

create table throng.decay (
    release_id bigint not null,
    dropped text not null,
    cells bigint not null,
    decayed_at timestamptz not null default now(),
    constraint decay_pkey primary key (release_id, dropped),
    constraint decay_release_fkey foreign key (release_id) references throng.release
);
comment on table throng.decay is 'Cells that age took from a release; from then on its cells do not match its digest.';
comment on column throng.decay.dropped is 'The dimension whose cells went; * is all of them. Unit: none.';
comment on column throng.decay.cells is 'The number of cells that went. Unit: cells.';
comment on column throng.decay.decayed_at is 'When. Unit: instant.';
grant select on throng.decay to throng_reporter;

-- Refuses every change: released numbers stay as they are.
create function throng.refuse_change() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
    -- Only throng.drop_released and throng.delete_app set this, for as long as they run, and only the owner of the tables
    -- may delete.
    if tg_op = 'DELETE' and current_setting('throng.retention', true) = 'on' then
        return null;
    end if;
    raise exception '% on throng.%: what was released never changes', tg_op, tg_table_name
        using errcode = 'object_not_in_prerequisite_state',
            hint = 'Numbers go only by age, through throng.drop_released.';
end
$$;

create trigger release_never_changes before update or delete or truncate on throng.release
for each statement execute function throng.refuse_change();

create trigger released_cell_never_changes before update or delete or truncate on throng.released_cell
for each statement execute function throng.refuse_change();

create trigger decay_never_changes before update or delete or truncate on throng.decay
for each statement execute function throng.refuse_change();

-- Cells arrive in the transaction of their release, not later.
create function throng.refuse_late_cells() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
    if exists (
        select from (select distinct release_id from added) as touched
        join throng.release as r using (release_id)
        where r.released_at <> transaction_timestamp()
    ) then
        raise exception 'insert on throng.released_cell: this release was already made'
            using errcode = 'object_not_in_prerequisite_state';
    end if;
    return null;
end
$$;

create trigger released_cell_arrives_with_release after insert on throng.released_cell
referencing new table as added
for each statement execute function throng.refuse_late_cells();

-- Which cells a release shows ------------------------------------------------------------------------------------------

create table throng.shown_margin (
    release_id bigint not null,
    margin integer not null,
    name text not null,
    dimensions text[] not null,
    cells integer not null,
    strides integer[] not null,
    closed integer not null default 0,
    constraint shown_margin_pkey primary key (release_id, margin),
    constraint shown_margin_release_fkey foreign key (release_id) references throng.release,
    constraint shown_margin_cells_positive check (cells > 0)
);
comment on table throng.shown_margin is 'The groupings of each release, from its header; those that keep a dimension which age took go. Public.';
comment on column throng.shown_margin.name is 'The columns of the kept dimensions, separated by commas; (total) where none is kept. Unit: none.';
comment on column throng.shown_margin.dimensions is 'The same as an array. Unit: none.';
comment on column throng.shown_margin.cells is 'The number of its cells. Unit: cells.';
comment on column throng.shown_margin.strides is 'One a dimension: by how much the cell grows from one bucket to the next; null is summed out. Unit: cells.';
comment on column throng.shown_margin.closed is 'The dimensions of the layout whose last bucket, other, nothing can land in: bit i stands for dimension i. Unit: bit set.';

create table throng.shown_label (
    release_id bigint not null,
    place smallint not null,
    bucket integer not null,
    label text not null,
    constraint shown_label_pkey primary key (release_id, place, bucket),
    constraint shown_label_release_fkey foreign key (release_id) references throng.release
);
comment on table throng.shown_label is 'The names of the buckets of revealed dimensions when a release was made, from its header; they go with the dimension. Public.';
comment on column throng.shown_label.place is 'The dimension of the layout. Unit: dimensions, from 0.';
comment on column throng.shown_label.bucket is 'The bucket; a slot without a label has no row. Unit: buckets, from 0.';
comment on column throng.shown_label.label is 'Its name. Unit: none.';

create table throng.impossible_cell (
    metric_id integer not null,
    margin integer not null,
    cell integer not null,
    constraint impossible_cell_pkey primary key (metric_id, margin, cell),
    constraint impossible_cell_metric_fkey foreign key (metric_id) references throng.metric_layout
);
comment on table throng.impossible_cell is 'Cells of shown groupings that must be empty, because the layout rules out every leaf below them. Public.';

create table throng.grouping_view (
    metric_id integer not null,
    period_kind smallint not null,
    margin integer not null,
    suffix text not null,
    view_name name not null,
    constraint grouping_view_pkey primary key (metric_id, period_kind, margin),
    constraint grouping_view_layout_fkey foreign key (metric_id) references throng.metric_layout,
    constraint grouping_view_name_unique unique (view_name)
);
comment on table throng.grouping_view is 'The views of rows that do not overlap: one a grouping and kind of period that a release showed.';
comment on column throng.grouping_view.suffix is 'The end of its name, behind that of the layout''s own view. Unit: none.';
comment on column throng.grouping_view.view_name is 'The view in schema analyst. Unit: none.';

-- A name of at most 63 bytes that is not taken; a name that has to give way ends in digits of its own digest.
create function throng.fitting_name(wanted text, taken text[]) returns text
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
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

-- The columns that every view has.
create function throng.fixed_columns() returns text[]
language sql immutable set search_path = pg_catalog, pg_temp
return array[
    'period_kind', 'period', 'local_date', 'period_start', 'period_end', 'margin', 'events', 'devices', 'withheld',
    'devices_withheld'];

-- One a dimension of the layout: the name of its column in the layout's view.
create function throng.dimension_columns(layout json) returns text[]
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
    taken text[] := throng.fixed_columns();
    names text[] := '{}';
    part json;
begin
    for part in select value from json_array_elements(layout -> 'dimensions') loop
        names := names || throng.fitting_name(part ->> 'name', taken || names);
    end loop;
    return names;
end
$$;

-- The columns of the dimensions that a margin keeps, in their order.
create function throng.kept_columns(layout json, margin integer) returns text[]
language sql immutable set search_path = pg_catalog, pg_temp
return array(
    select name from unnest(throng.dimension_columns(layout)) with ordinality as columns (name, place)
    where (margin >> (place - 1)::integer) & 1 = 1
    order by place
);

-- A funnel's dimension of furthest steps: its place among the layout's, from 0; null where there is none.
create function throng.step_dimension(layout json) returns integer
language sql immutable set search_path = pg_catalog, pg_temp
return (
    select ordinality - 1 from json_array_elements(layout -> 'dimensions') with ordinality
    where json_typeof(layout -> 'within' -> 'funnel') = 'object' and value ->> 'rule' like 'funnel %'
);

-- The columns of those that came at least as far as a row's step, their margin, and why they are missing; none without steps.
create function throng.reached_columns(layout json) returns text[]
language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
    names text[] := '{}';
    wanted text;
begin
    if throng.step_dimension(layout) is not null then
        foreach wanted in array array['reached', 'reached_margin', 'reached_withheld'] loop
            names := names
                || throng.fitting_name(wanted, throng.fixed_columns() || throng.dimension_columns(layout) || names);
        end loop;
    end if;
    return names;
end
$$;

-- The dimensions of a release whose bucket other nothing can land in, a bit each: an event has a time; where a list has
-- every event that is counted, no other one is; and of a field that is summed, an event without a number is refused. Fields
-- and lists are those that plans gave the layout, where all of them gave it the same; where none is known, nothing is
-- closed.
create function throng.closed_dimensions(wanted_metric integer, header json) returns integer
language plpgsql stable set search_path = pg_catalog, pg_temp as $$
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
                    select from json_array_elements_text(dimension -> 'coarsening' -> 'buckets') with ordinality as b
                    where b.ordinality < json_array_length(dimension -> 'coarsening' -> 'buckets')
                        and b.value::integer = json_array_length(dimension -> 'labels') - 1
                );
        else
            select array_agg(distinct terms.origins -> (dimension ->> 'name')) into made_from
            from throng.layout_terms as terms
            where terms.metric_id = wanted_metric and terms.origins is not null;
            origin := case when cardinality(made_from) = 1 then made_from[1] end;
            is_closed := case split_part(dimension ->> 'rule', ' ', 1)
                when 'time' then true
                when 'bands' then exists (
                    select from json_array_elements(content -> 'sums') as summed
                    where summed ->> 'field' = origin ->> 'field'
                )
                when 'list' then origin ->> 'field' = 'event'
                    and json_typeof(header -> 'events') = 'array'
                    and not exists (
                        select from json_array_elements_text(header -> 'events') as counted
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

-- Writes down which cells of a margin must be empty; does nothing where that was done before, or where none is.
--
-- Only the base dimensions matter that an impossible combination names or that a kept dimension is made of. Each
-- combination of their buckets that is not ruled out makes one combination of kept buckets possible; the others are
-- impossible. At most 10^6 of them are looked at, once a layout and margin.
create function throng.note_impossible(wanted_metric integer, wanted_margin integer) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
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
        where r.metric_id = wanted_metric and m.margin = wanted_margin
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
            select from json_array_elements(content -> 'impossible') as ruled,
                json_array_elements(ruled -> 'parts') as part
            where part ->> 'dimension' = content -> 'dimensions' -> (place - 1) ->> 'name'
        ) then
            is_asked[place] := true;
        end if;
    end loop;
    if not true = any (is_asked) then return; end if;
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
        into parts from json_array_elements(combination -> 'parts') as part
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
        coalesce(nullif(array_to_string(made, ' + '), ''), '0'), total - 1,
        coalesce(nullif(array_to_string(ruled_out, ' or '), ''), 'false'), wanted_metric, wanted_margin, cells - 1,
        coalesce(nullif(array_to_string(shown, ' + '), ''), '0'));
end
$$;

-- Writes down which cells a release shows, what they are called, and which buckets nothing can land in.
create function throng.describe_release(wanted_release bigint) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
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
            wanted_release, shown, coalesce(nullif(array_to_string(names, ', '), ''), '(total)'), names, cells,
            strides, closed);
        perform throng.name_grouping(found.metric_id, found.period_kind, shown);
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

create function throng.release_is_described() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    perform throng.describe_release(new.release_id);
    return null;
end
$$;
create trigger release_is_described after insert on throng.release
for each row execute function throng.release_is_described();

-- Takes from what a release shows the groupings whose numbers age took.
create function throng.forget_shown(wanted_release bigint, dropped text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
    gone integer;
begin
    if dropped = '*' then
        delete from throng.shown_margin where release_id = wanted_release;
        delete from throng.shown_label where release_id = wanted_release;
        return;
    end if;
    select ordinality - 1 into gone from throng.release as r
    join throng.metric_layout as l using (metric_id),
        json_array_elements(l.layout -> 'dimensions') with ordinality
    where r.release_id = wanted_release and value ->> 'name' = dropped;
    delete from throng.shown_margin as known where known.release_id = wanted_release
        and (known.margin >> gone) & 1 = 1;
    delete from throng.shown_label as known where known.release_id = wanted_release and known.place = gone;
end
$$;

create function throng.decay_is_followed() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    perform throng.forget_shown(new.release_id, new.dropped);
    return null;
end
$$;
create trigger decay_is_followed after insert on throng.decay
for each row execute function throng.decay_is_followed();

-- Views of analysts: every cell of the groupings that a release shows, withheld ones too, all alike ---------------------

-- A row of a view is made from the layout, and its numbers from throng.released_cell. A view of schema analyst
-- may never read anything that knows more than these two: then a small cell and an empty one differ in nothing, because
-- there is nothing to tell them apart by.

-- Creates the view of one layout: named, commented columns over every cell that its releases show, each number with its
-- margin, without rows of buckets that nothing can land in. A layout with a frequency or a funnel counts identifiers, each
-- once when its window is over: the view says so, in the name of the column and in its unit.
--
-- The cells of one release and margin are made behind a fence (offset 0): whatever the planner believes, it reads that
-- part of throng.released_cell once and joins it to the numbers from 0 to the margin's size.
create function throng.publish_view(wanted_metric integer, wanted_name name) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    found throng.metric_layout;
    taken text[];
    columns text := '(array[''hour'', ''day'', ''week'', ''month''])[r.period_kind + 1] as period_kind, r.period,'
        ' r.local_date, r.period_start, r.period_end, m.name as margin';
    joins text := '';
    conditions text := '';
    numbers text := 'place as cell, p.count, p.sums, p.reach, p.firsts, p.count_margin, p.sum_margins, p.reach_margin';
    source text := 'generate_series(0, m.cells - 1) as place left join throng.released_cell as p'
        ' on p.release_id = m.release_id and p.margin = m.margin and p.cell = place';
    reason text := quote_literal('withheld: it stands for too few people');
    reached text[];
    step integer;
    steps integer;
    reached_reason text := '';
    comments text[] := array[
        'period_kind', 'hour, day, week or month: rows of different kinds overlap. Unit: none.',
        'period', 'The period as reports write it: 2026-11-21T10:00, 2026-11-21, 2026-W47, 2026-11. Unit: none.',
        'local_date', 'The date of its first second, by the app''s time zone. Unit: day.',
        'period_start', 'First second of the period. Unit: instant.',
        'period_end', 'First second after the period. Unit: instant.',
        'margin', 'The dimensions that the row is split by, separated by commas; (total) is by none. Rows of different margins overlap: pick one. Unit: none.'];
    part record;
    named text;
    off text;
    counts text;
    counted text;
begin
    select * into strict found from throng.metric_layout where metric_id = wanted_metric;
    counts := case when json_typeof(found.layout -> 'within') = 'object' then 'identifiers' else 'events' end;
    -- A dimension may be called identifiers, none events.
    counted := case counts
        when 'events' then counts
        else throng.fitting_name(counts, throng.dimension_columns(found.layout))
    end;
    reached := throng.reached_columns(found.layout);
    taken := throng.fixed_columns() || counted || throng.dimension_columns(found.layout) || reached;
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
    columns := columns || format(', c.count as %I', counted);
    comments := comments || array[
        counted,
        case counts
            when 'events' then 'Events counted; null where withheld says why. Unit: events.'
            else 'Identifiers, each counted once, when its window was over: a device that came back in a later one is '
                'another identifier; null where withheld says why. Unit: identifiers.'
        end];
    named := throng.fitting_name(counts || '_margin', taken);
    taken := taken || named;
    columns := columns || format(', c.count_margin as %I', named);
    comments := comments || array[
        named,
        format('19 of 20 numbers lie within this of what was counted; null where withheld says why. Unit: %s.', counts)];
    if cardinality(reached) > 0 then
        step := throng.step_dimension(found.layout) + 1;
        steps := json_array_length(found.layout -> 'dimensions' -> (step - 1) -> 'labels');
        columns := columns || format(', c.reached as %I, c.reached_margin as %I', reached[1], reached[2]);
        comments := comments || array[
            reached[1], format('Identifiers that came at least as far as %s says: the row''s own and those of later steps, as reports show it; null where the row is not split by it, and where %s says why. Unit: identifiers.', (throng.dimension_columns(found.layout))[step], reached[3]),
            reached[2], '19 of 20 numbers of those lie within this of what was counted. Unit: identifiers.',
            reached[3], format('Null where %s is here, and where the row is not split by steps. Unit: none.', reached[1])];
        -- Those of later steps, or the whole without those of earlier ones: what reports do. A sum of c of n steps' numbers
        -- has (c/n)² + (c - c²/n) n/(n - 1) of the variance that their total has (Margins page, Noise).
        numbers := numbers || format(
            ', case when m.strides[%1$s] is not null then coalesce('
            'case when count(*) over later = count(p.count) over later then sum(p.count) over later end,'
            ' case when count(*) over earlier = count(p.count) over earlier'
            ' and w.count > coalesce(sum(p.count) over earlier, 0)'
            ' then w.count - coalesce(sum(p.count) over earlier, 0) end) end::bigint as reached,'
            ' case when m.strides[%1$s] is not null then ceil('
            'coalesce(max(p.count_margin) over (), w.count_margin * %4$s::float8)'
            ' * (%3$L::float8[])[place / m.strides[%1$s] %% %2$s + 1] - 1e-6)::bigint end as reached_margin', step,
            steps,
            array(
                select sqrt((c * c / n / n + (c - c * c / n) * n / greatest(n - 1, 1)) / (1 / n / n + sign(n - 1)))
                from generate_series(steps, 1, -1) as later (c),
                    lateral (select steps::float8 as n) as of_all
            ),
            sqrt(1 / steps::float8 ^ 2 + sign(steps - 1)));
        source := source || format(
            ' left join throng.released_cell as w on w.release_id = m.release_id'
            ' and (m.margin >> %1$s) & 1 = 1 and w.margin = m.margin - (1 << %1$s)'
            ' and w.cell = place / (m.strides[%2$s] * %3$s) * m.strides[%2$s] + place %% m.strides[%2$s]'
            ' window whole as (partition by place / (m.strides[%2$s] * %3$s), place %% m.strides[%2$s]'
            ' order by place / m.strides[%2$s] %% %3$s),'
            ' later as (whole rows between current row and unbounded following),'
            ' earlier as (whole rows between unbounded preceding and 1 preceding)', step - 1, step, steps);
        reached_reason := format(
            ', case when m.strides[%s] is not null and c.reached is null'
            ' then ''not told: too few of its numbers are'' end as %I', step, reached[3]);
    end if;
    for part in
        select value ->> 'name' as name,
            (value ->> 'decimals')::integer as decimals,
            coalesce(nullif(value ->> 'unit', ''), 'none') as unit,
            value ->> 'lowest' as lowest,
            value ->> 'highest' as highest,
            ordinality as place
        from json_array_elements(found.layout -> 'sums') with ordinality
        order by ordinality
    loop
        named := throng.fitting_name(part.name, taken);
        off := throng.fitting_name(named || '_margin', taken || named);
        taken := taken || named || off;
        columns := columns || format(
            ', c.sums[%1$s]::numeric * %2$s as %3$I, c.sum_margins[%1$s]::numeric * %2$s as %4$I', part.place,
            case when part.decimals = 0 then '1' else '0.' || repeat('0', part.decimals - 1) || '1' end || '::numeric',
            named, off);
        comments := comments || array[
            named,
            format(
                'Sum of %s, each value clipped to %s to %s; null where withheld says why. Unit: %s.',
                part.name, part.lowest, part.highest, part.unit),
            off,
            format(
                '19 of 20 sums of %s lie within this of what was counted; null where withheld says why. Unit: %s.',
                part.name, part.unit)];
    end loop;
    named := throng.fitting_name('devices_margin', taken);
    taken := taken || named;
    columns := columns || format(', c.reach as devices, c.reach_margin as %I', named);
    comments := comments || array[
        'devices', 'About so many distinct devices, never to be added; null where withheld says why, and where the metric publishes none. Unit: devices.',
        named, '19 of 20 numbers of devices, whichever column has them, lie within this of how many there were; null where there is none. Unit: devices.'];
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
    columns := columns || format(
        ', case when c.count is null then %1$s end as withheld,'
        ' case when c.count is null then %1$s when c.reach is null and c.firsts is null then ''not told'''
        ' when c.reach is null then ''not told: those by what clients say are'' end as devices_withheld%2$s',
        reason, reached_reason);
    comments := comments || array[
        'withheld', 'Null where the numbers are here. Else why they are not: too few people; or cannot occur, where the plan rules the row out and everybody knows that it is empty. Unit: none.',
        'devices_withheld', 'Null where devices is here. Else why it is not: as the column withheld says; or not told, where the metric publishes none, or too few devices said so. Unit: none.'];
    execute format(
        'create view analyst.%I with (security_barrier) as select %s from throng.release as r'
        ' join throng.shown_margin as m using (release_id)'
        ' cross join lateral (select %s from %s offset 0) as c'
        '%s where r.metric_id = %s%s', wanted_name, columns, numbers, source, joins, wanted_metric, conditions);
    execute format(
        'comment on view analyst.%I is %L', wanted_name,
        format(
            'Released numbers of metric %s of app %s, layout %s: every row of every margin, withheld ones with null numbers. '
            'Rows of different margins overlap: pick one, never sum over (all).',
            found.metric, found.app, found.version));
    for place in 1 .. array_length(comments, 1) by 2 loop
        execute format('comment on column analyst.%I.%I is %L', wanted_name, comments[place], comments[place + 1]);
    end loop;
    execute format('grant select on analyst.%I to throng_analyst', wanted_name);
end
$$;

-- The names that are taken in schema analyst.
create function throng.view_names() returns text[]
language sql stable set search_path = pg_catalog, pg_temp as $$
    select coalesce(array_agg(relname::text), '{}') from pg_class
    where relnamespace = 'analyst'::regnamespace
$$;

-- Creates the view of one grouping and kind of period, in which no two rows overlap.
create function throng.publish_grouping(
    wanted_metric integer, wanted_kind smallint, wanted_margin integer, wanted_name name) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
    found throng.metric_layout;
    dimensions text[];
    names text[];
    grouping_name text;
    kept text[];
    part record;
begin
    select * into strict found from throng.metric_layout where metric_id = wanted_metric;
    dimensions := throng.dimension_columns(found.layout);
    names := throng.kept_columns(found.layout, wanted_margin);
    grouping_name := coalesce(nullif(array_to_string(names, ', '), ''), '(total)');
    kept := array(
        select quote_ident(attname) from pg_attribute
        where attrelid = format('analyst.%I', found.view_name)::regclass
            and attnum > 0
            and attname <> all (array['period_kind', 'margin'])
            and (attname <> all (dimensions) or attname = any (names))
            and (
                attname <> all (throng.reached_columns(found.layout))
                or (wanted_margin >> throng.step_dimension(found.layout)) & 1 = 1
            )
        order by attnum
    );
    execute format(
        'create view analyst.%I with (security_barrier) as select %s from analyst.%I'
        ' where margin = %L and period_kind = %L', wanted_name, array_to_string(kept, ', '), found.view_name,
        grouping_name, (array['hour', 'day', 'week', 'month'])[wanted_kind + 1]);
    execute format(
        'comment on view analyst.%I is %L', wanted_name,
        format(
            'Released numbers of metric %s of app %s, layout %s, grouping %s: no two rows overlap.',
            found.metric, found.app, found.version, grouping_name));
    for part in
        select own.attname,
            col_description(base.attrelid, base.attnum) as comment
        from pg_attribute as own
        join pg_attribute as base using (attname)
        where own.attrelid = format('analyst.%I', wanted_name)::regclass
            and base.attrelid = format('analyst.%I', found.view_name)::regclass
    loop
        execute format('comment on column analyst.%I.%I is %L', wanted_name, part.attname, part.comment);
    end loop;
    execute format('grant select on analyst.%I to throng_analyst', wanted_name);
end
$$;

-- Makes sure that a grouping and kind of period that is shown has a view. Its name is that of the layout's own view with the
-- dimensions behind it, and the period where that is a rollup's.
create function throng.name_grouping(wanted_metric integer, wanted_kind smallint, wanted_margin integer) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
    -- The lock that throng.register_layout takes.
    guard constant bigint := 6073194562405269506;
    found throng.metric_layout;
    behind text;
    fitting name;
begin
    if exists (
        select from throng.grouping_view as known
        where known.metric_id = wanted_metric and known.period_kind = wanted_kind and known.margin = wanted_margin
    ) then
        return;
    end if;
    perform pg_advisory_xact_lock(guard);
    select * into strict found from throng.metric_layout where metric_id = wanted_metric;
    behind := case
            when wanted_margin = 0 then '_total'
            else '_by_' || array_to_string(throng.kept_columns(found.layout, wanted_margin), '_')
        end
        || case
            when wanted_kind <> found.period_kind
                then (array['_hourly', '_daily', '_weekly', '_monthly'])[wanted_kind + 1]
            else ''
        end;
    fitting := throng.fitting_name(found.view_name || behind, throng.view_names());
    perform throng.publish_grouping(wanted_metric, wanted_kind, wanted_margin, fitting);
    insert into throng.grouping_view (metric_id, period_kind, margin, suffix, view_name)
    values (wanted_metric, wanted_kind, wanted_margin, behind, fitting);
end
$$;

-- Renames the views of a layout; its groupings' follow.
create function throng.rename_views(wanted_metric integer, wanted_name text) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
    base name;
    part throng.grouping_view;
    fitting name;
begin
    select view_name into strict base from throng.metric_layout where metric_id = wanted_metric;
    fitting := throng.fitting_name(wanted_name, array_remove(throng.view_names(), base::text));
    if fitting = base then return; end if;
    execute format('alter view analyst.%I rename to %I', base, fitting);
    update throng.metric_layout set view_name = fitting where metric_id = wanted_metric;
    base := fitting;
    for part in
        select * from throng.grouping_view as known
        where known.metric_id = wanted_metric
        order by known.period_kind, known.margin
    loop
        fitting := throng.fitting_name(base || part.suffix, array_remove(throng.view_names(), part.view_name::text));
        execute format('alter view analyst.%I rename to %I', part.view_name, fitting);
        update throng.grouping_view as known set view_name = fitting
        where known.metric_id = wanted_metric and known.period_kind = part.period_kind and known.margin = part.margin;
    end loop;
end
$$;

-- Registers a layout and, if wanted, makes it the current one of its metric; returns its metric_id.
--
-- A layout that only a journal still speaks of is registered without becoming the current one, unless it is the metric's
-- first. The view of the current layout carries the plain name, app_metric; those of the others end in _v and their
-- version. A name that another view holds gives way to one with a digest; analyst.metrics lists what belongs to what.
--
-- A session that reads a view keeps it from being renamed as long as its transaction lasts, and counting must not wait for
-- it. Then the former layout's view keeps the plain name, and the current one has that of its version.
create function throng.register_layout(layout_text text, make_current boolean) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
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
        where known.app = content ->> 'app' and known.metric = content ->> 'metric'
        returning * into found;
    end if;
    select * into former from throng.metric_layout as known
    where known.app = found.app and known.metric = found.metric and known.is_current;
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
            perform throng.rename_views(former.metric_id, plain || '_v' || former.version);
            perform throng.rename_views(found.metric_id, plain);
        exception
            when lock_not_available then null;
        end;
        perform set_config('lock_timeout', '0', true);
    end if;
    return found.metric_id;
end
$$;
grant execute on function throng.register_layout(text, boolean) to throng_ingest;

create view analyst.releases with (security_barrier) as
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
    (r.header ->> 'sampling')::numeric as sampling,
    (r.header -> 'layout' ->> 'contributionBound')::integer as contribution_bound,
    case when counted.since > r.period_start and counted.since < r.period_end then counted.since end as counted_from,
    case when counted.until > r.period_start and counted.until < r.period_end then counted.until end as counted_until
from throng.release as r
join throng.metric_layout as l using (metric_id)
-- A layout whose first terms nobody kept was counted before anybody knows, and one that is still counted has no end.
cross join lateral (
    select case when bool_and(t.since is not null) then min(t.since) end as since,
        case when bool_and(t.until is not null) then max(t.until) end as until
    from throng.layout_terms as t
    where t.metric_id = r.metric_id
) as counted;
comment on view analyst.releases is 'Catalogue of everything that was released.';
comment on column analyst.releases.k is 'The least number of devices that each number stands for. Unit: devices.';
comment on column analyst.releases.plan is 'SHA-256 of the plan in force. Unit: hexadecimal digits.';
comment on column analyst.releases.digest is 'SHA-256 of the release. Unit: hexadecimal digits.';
comment on column analyst.releases.released_at is 'When it was made. Unit: instant.';
comment on column analyst.releases.decayed_at is 'When age last took cells from it; null while it is whole. Unit: instant.';
comment on column analyst.releases.sampling is 'Share of events that clients sent: divide events and sums by it, to estimate what happened. Unit: none, more than 0 and at most 1.';
comment on column analyst.releases.contribution_bound is 'The most that one identifier added in its window; where releases choose it, of a sum over periods the smallest. Unit: events.';
comment on column analyst.releases.counted_from is 'When counting began, where that was within the period: its numbers are of the rest. Unit: instant.';
comment on column analyst.releases.counted_until is 'When counting ended, where that was within the period: its numbers are of what was before. Unit: instant.';

create view analyst.metrics with (security_barrier) as
select l.app,
    l.metric,
    l.version,
    l.is_current,
    l.view_name::text as view_name,
    (array['hour', 'day', 'week', 'month'])[l.period_kind + 1] as period_kind,
    l.layout ->> 'timeZone' as time_zone,
    array(
        select value ->> 'name' from json_array_elements(l.layout -> 'dimensions') with ordinality
        order by ordinality
    ) as dimensions,
    array(
        select value ->> 'name' from json_array_elements(l.layout -> 'sums') with ordinality
        order by ordinality
    ) as sums,
    case when json_typeof(l.layout -> 'within') = 'object' then 'identifiers' else 'events' end as counts,
    (
        select value ->> 'name' from json_array_elements(l.layout -> 'dimensions')
        where json_typeof(l.layout -> 'within' -> 'funnel') = 'object' and value ->> 'rule' like 'funnel %'
    ) as steps,
    array(
        select case when value -> 'coarsening' is null then json_array_length(value -> 'labels') end
        from json_array_elements(l.layout -> 'dimensions') with ordinality
        order by ordinality
    ) as sizes
from throng.metric_layout as l;
comment on view analyst.metrics is 'The views of each metric, one row a layout.';
comment on column analyst.metrics.version is 'The number of the layout among those of the metric. Unit: layouts, from 1.';
comment on column analyst.metrics.is_current is 'Whether new releases have this layout. Unit: yes or no.';
comment on column analyst.metrics.time_zone is 'The time zone of its days: a name from the IANA time zone database. Unit: none.';
comment on column analyst.metrics.dimensions is 'Names of its dimensions, in column order. Unit: none.';
comment on column analyst.metrics.sums is 'Names of its sums, in column order. Unit: none.';
comment on column analyst.metrics.counts is 'The thing that it counts, and the column of its view that says how many: events, or identifiers, each once when its window was over. Unit: none.';
comment on column analyst.metrics.sizes is 'How many buckets each dimension has, which the noise of sums depends on; null where it is made of another one. Unit: buckets.';
comment on column analyst.metrics.steps is 'The dimension of a funnel''s furthest steps; null where it is no funnel. Unit: none.';

create view analyst.margins with (security_barrier) as
select r.app,
    r.metric,
    l.view_name::text as view_name,
    (array['hour', 'day', 'week', 'month'])[r.period_kind + 1] as period_kind,
    m.name as margin,
    m.dimensions,
    g.view_name::text as grouping_view,
    min(r.period_start) as first_start,
    max(r.period_end) as last_end,
    count(*) as releases
from throng.release as r
join throng.shown_margin as m using (release_id)
join throng.metric_layout as l using (metric_id)
join throng.grouping_view as g
    on g.metric_id = r.metric_id
    and g.period_kind = r.period_kind
    and g.margin = m.margin
group by r.app, r.metric, l.view_name, r.period_kind, m.name, m.dimensions, g.view_name;
comment on view analyst.margins is 'The dimensions by which the rows of each view can be split: the values of its column margin.';
comment on column analyst.margins.dimensions is 'The columns that such rows are split by; the others read (all). Unit: none.';
comment on column analyst.margins.grouping_view is 'The view in this schema that has these rows and no others. Unit: none.';
comment on column analyst.margins.first_start is 'First second of the first period that shows it. Unit: instant.';
comment on column analyst.margins.last_end is 'First second after the last period that shows it. Unit: instant.';
comment on column analyst.margins.releases is 'Periods that show it. Unit: releases.';

-- Buckets as the plan or a release states them in public; nothing that was counted. A bucket that no release of the layout
-- has a row of is left out. A learned label has no place: slots are given out in the order of learning, and that is
-- nobody's business.
--
-- Behind each fence (offset 0) a layout is parsed once, and not once a bucket.
create view analyst.buckets with (security_barrier) as
select l.app,
    l.metric,
    l.view_name::text as view_name,
    d.name as dimension,
    b.ordinality::integer as place,
    b.value as bucket
from throng.metric_layout as l
cross join lateral (
    select bit_and(m.closed) as closed from throng.release as r
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
    select distinct known.label from throng.release as r
    join throng.shown_label as known using (release_id)
    where r.metric_id = l.metric_id and known.place = d.place
) as s;
comment on view analyst.buckets is 'The buckets of each view''s dimensions: what its columns can hold besides (all).';
comment on column analyst.buckets.dimension is 'Name of the dimension, as in analyst.metrics. Unit: none.';
comment on column analyst.buckets.place is 'Its place in the plan''s order; null where labels are learned, which have no order. Unit: buckets, from 1.';
comment on column analyst.buckets.bucket is 'The value of the dimension''s column. Unit: none.';

-- Splits of periods that have no number at all. It says no more than their rows do.
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
        select from throng.released_cell as p
        where p.release_id = m.release_id and p.margin = m.margin
    )
    -- Of a split that can't have any, nothing is left out.
    and m.cells > (
        select count(*) from throng.impossible_cell as i
        where i.metric_id = r.metric_id and i.margin = m.margin
    );
comment on view analyst.left_out is 'Periods and margins of which nothing is published: no row of theirs is of enough devices. A coarser margin, or a longer period, may have numbers.';
comment on column analyst.left_out.dimensions is 'The columns that such rows are split by. Unit: none.';

-- Numbers are off by noise that is a function of the installation's secret, the question and the counted table: what is
-- lost before its release is committed is drawn the same again, and nothing about it has to be kept.
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
        select value::bigint from json_array_elements_text(stated.value -> 'sums') with ordinality
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
comment on view analyst.error_margins is 'Margins by which released numbers are off on purpose, one row a release and margin: 19 of 20 of its numbers lie within these of what was counted. Numbers of a release add up, and none is below 0.';
comment on column analyst.error_margins.rho is 'The most that all releases of a period cost one device, or one event where there are no identifiers. Unit: rho.';
comment on column analyst.error_margins.events_margin is 'Of numbers of events, or of identifiers. Unit: these.';
comment on column analyst.error_margins.sums_margin is 'Of each sum. Unit: 10^-decimals of the sum''s unit.';
comment on column analyst.error_margins.devices_margin is 'Of numbers of devices; null where the metric publishes none. Unit: devices.';

grant select on analyst.releases, analyst.metrics, analyst.margins, analyst.buckets, analyst.left_out, analyst.error_margins
to throng_analyst;

-- Functions that respect withholding -----------------------------------------------------------------------------------

create function analyst.share(part numeric, whole numeric) returns numeric
language sql immutable parallel safe
return part / nullif(whole, 0);
comment on function analyst.share(numeric, numeric) is 'Part over whole; null where either is withheld (analyst.reason says so) and where the whole is 0. Unit: none.';

create function analyst.change(value numeric, before numeric) returns numeric
language sql immutable parallel safe
return (value - before) / nullif(before, 0);
comment on function analyst.change(numeric, numeric) is 'The difference of a value from the one before, over the one before: 0.1 is 10 % more. Null where either is withheld (analyst.reason says so) and where the one before is 0. Unit: none.';

create function analyst.reason(variadic withheld text[]) returns text
language sql immutable parallel safe
return (
    select coalesce(max(each) filter (where each <> 'cannot occur'), max(each)) from unnest(withheld) as each
);
comment on function analyst.reason(text[]) is 'The reason why something made of several rows is null, given their columns withheld: null where all numbers are there. Unit: none.';

-- NaN stands for a sum of which a part is missing; no released number is NaN.
create function throng.add_released(total numeric, value numeric, withheld text) returns numeric
language sql immutable parallel safe
return case
    when total = 'NaN' or (value is null and withheld is distinct from 'cannot occur') then 'NaN'
    else coalesce(total, 0) + coalesce(value, 0)
end;
create function throng.whole_or_null(total numeric) returns numeric
language sql immutable parallel safe
return nullif(total, 'NaN');
create aggregate analyst.total(value numeric, withheld text) (
    sfunc = throng.add_released,
    stype = numeric,
    finalfunc = throng.whole_or_null,
    parallel = safe
);
comment on aggregate analyst.total(numeric, text) is 'Sum over rows of one margin; null where any of them is withheld, because a sum of the others would pass for the whole. What cannot occur counts as 0. Take the column withheld as the second argument. Unit: that of the first.';

create function throng.keep_reason(reason text, withheld text) returns text
language sql immutable parallel safe
return coalesce(reason, nullif(withheld, 'cannot occur'));
create aggregate analyst.total_reason(withheld text) (
    sfunc = throng.keep_reason,
    stype = text,
    parallel = safe
);
comment on aggregate analyst.total_reason(text) is 'The reason why analyst.total is null over the same rows; null where it is not. Unit: none.';

-- Half of a number's noise is the same in each period, and the other half is drawn anew (Margins page, Noise).
create function throng.add_margin(sums numeric[], margin numeric, withheld text) returns numeric[]
language sql immutable parallel safe
return case
    when margin is null and withheld = 'cannot occur' then sums
    when margin is null then array['NaN', 'NaN', sums[3]]
    else array[sums[1] + margin * margin, sums[2] + margin, greatest(sums[3], scale(margin))]
end;
create function throng.margin_of_total(sums numeric[]) returns numeric
language sql immutable parallel safe
return case
    when sums[1] <> 'NaN' then round(ceil(sqrt((sums[1] + sums[2] * sums[2]) / 2) * 10 ^ sums[3] - 0.000001) / 10 ^ sums[3], sums[3]::integer)
end;
create aggregate analyst.total_margin(margin numeric, withheld text) (
    sfunc = throng.add_margin,
    stype = numeric[],
    initcond = '{0,0,0}',
    finalfunc = throng.margin_of_total,
    parallel = safe
);
comment on aggregate analyst.total_margin(numeric, text) is 'Margin of analyst.total over several periods of one row: 19 of 20 such sums lie within it of what was counted; null where the total is. Unit: that of the first.';

revoke all on all functions in schema analyst from public;
grant execute on all functions in schema analyst to throng_analyst;

-- Rights of analysts besides reading -----------------------------------------------------------------------------------

-- PostgreSQL lets every user see how many rows and pages each table has, how many were written lately, which locks are
-- held, and how many transactions there were. Of throng.counter that is how many cells somebody touched in the last
-- second; of throng.withheld_cell, how many of the withheld rows are not empty; of a metric's lock, that somebody did
-- in this moment what it counts. Every user may also take the locks that flushes and releases wait for, and fill the disk
-- with large objects. All this is closed to everybody but superusers, pg_monitor, the schema's owner and the
-- daemon's roles, in this database only.
--
-- System catalogues belong to superusers, so a superuser has to call it: the migration does where it is one. Takes it
-- all back where it is called with false, which pg_upgrade may ask for.
create function throng.confine_analysts(confined boolean) returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
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
        select p.oid::regprocedure as signature from pg_proc as p
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
                where i.classoid = 'pg_proc'::regclass and i.objoid = p.oid
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
        select string_agg(quote_ident(attname), ', ' order by attnum) into open_columns from pg_attribute
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

do $$
declare
    statement text;
    is_superuser constant boolean := (select rolsuper from pg_catalog.pg_roles where rolname = current_user);
    mine constant text := format('alter role throng_analyst in database %I set ', current_database());
begin
    foreach statement in array array[
        -- Somebody who can make tables and functions can watch what PostgreSQL does with them. Temporary ones are what a
        -- database lets everybody make.
        format('revoke temporary on database %I from public', current_database()),
        'revoke create on schema public from public',
        -- Good manners, for people who log in as this role; anybody can leave them.
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

-- Age: what was taken, and by which promise ----------------------------------------------------------------------------

create table throng.deletion (
    place bigint not null,
    taken_at timestamptz not null,
    app text not null,
    kind text not null,
    subject text not null,
    term text not null,
    period_start timestamptz,
    period_end timestamptz,
    rows bigint not null,
    digest bytea not null,
    constraint deletion_pkey primary key (place),
    constraint deletion_place_positive check (place > 0),
    constraint deletion_kind_known check (
        kind in ('numbers', 'counters', 'files', 'copies', 'coverage', 'labels', 'records', 'backups')
    ),
    constraint deletion_rows_positive check (rows > 0),
    constraint deletion_digest_is_sha256 check (octet_length(digest) = 32)
);
comment on table throng.deletion is 'Ledger of what age took, and of what went with an app that was deleted: when, of what, by which promise, and how many rows. Each row''s digest covers the one before; nothing changes or goes.';
comment on column throng.deletion.place is 'Counts from 1 without a gap. Unit: none.';
comment on column throng.deletion.taken_at is 'When, to the second. Unit: instant.';
comment on column throng.deletion.app is 'Name of the app; * where it was of several apps'' together. Unit: none.';
comment on column throng.deletion.kind is 'numbers (released), counters (raw), files (of reports, here), copies (of reports, in folders), coverage, labels, records (what is kept about an app: layouts, promises, runs and the like), or backups (keys of what is in them). Unit: none.';
comment on column throng.deletion.subject is 'The metric, table, report or dimension; everything where the app was deleted. Unit: none.';
comment on column throng.deletion.term is 'The promise: after how many seconds, and what goes then; or that the app was deleted. Unit: none.';
comment on column throng.deletion.period_start is 'First second that it was about; null where it was about no period. Unit: instant.';
comment on column throng.deletion.period_end is 'First second after that. Unit: instant.';
comment on column throng.deletion.rows is 'The number of cells, counters, files, hours, labels, records or keys that went. Unit: rows.';
comment on column throng.deletion.digest is 'SHA-256 over the digest before it and this row. Unit: 32 bytes.';
grant select on throng.deletion to throng_reporter;

create trigger deletion_never_changes before update or delete or truncate on throng.deletion
for each statement execute function throng.refuse_change();

-- A row of the ledger as its digest has it: the digest before it in hexadecimal digits and the columns, one a line;
-- instants are Unix seconds, and what is null is empty.
create function throng.deletion_text(before bytea, known throng.deletion) returns text
language sql immutable set search_path = pg_catalog, pg_temp as $$
    select array_to_string(
        array[
            encode(before, 'hex'), known.place::text, extract(epoch from known.taken_at)::bigint::text, known.app,
            known.kind, known.subject, known.term, extract(epoch from known.period_start)::bigint::text,
            extract(epoch from known.period_end)::bigint::text, known.rows::text
        ], E'\n', '')
$$;

-- Writes down that something went, unless nothing did.
create function throng.note_deletion(
    wanted_app text, wanted_kind text, wanted_subject text, wanted_term text, wanted_start timestamptz,
    wanted_end timestamptz, wanted_rows bigint
) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    -- Key of the lock that lets one session at a time add to the ledger: "THRG" and 3.
    guard constant bigint := 6073194562405269507;
    last throng.deletion;
    new throng.deletion;
begin
    if coalesce(wanted_rows, 0) <= 0 then return; end if;
    perform pg_advisory_xact_lock(guard);
    select known.* into last from throng.deletion as known order by known.place desc limit 1;
    new.place := coalesce(last.place, 0) + 1;
    new.taken_at := date_trunc('second', clock_timestamp());
    new.app := wanted_app;
    new.kind := wanted_kind;
    new.subject := wanted_subject;
    new.term := wanted_term;
    new.period_start := wanted_start;
    new.period_end := wanted_end;
    new.rows := wanted_rows;
    new.digest := sha256(convert_to(
        throng.deletion_text(coalesce(last.digest, decode(repeat('00', 32), 'hex')), new), 'UTF8'));
    insert into throng.deletion values (new.*);
end
$$;
grant execute on function throng.note_deletion(text, text, text, text, timestamptz, timestamptz, bigint)
    to throng_reporter;

-- Deletes released cells by age and notes it: those that keep one dimension, or all where the dimension is null; of
-- releases of periods that are shorter than a kind, where one is given.
--
-- Releases whose period ended before the one instant and began before the other are touched, each once a step. Returns how
-- many cells went.
create function throng.drop_released(
    wanted_metric integer, dimension text, shorter_than smallint, ended_before timestamptz, began_before timestamptz,
    term text
) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    -- Bits of the dimension in margins; every cell where there is none.
    place integer;
    layout throng.metric_layout;
    gone bigint;
    first_start timestamptz;
    last_end timestamptz;
begin
    select known.* into strict layout from throng.metric_layout as known where known.metric_id = wanted_metric;
    if dimension is not null then
        select ordinality - 1 into place from json_array_elements(layout.layout -> 'dimensions') with ordinality
        where value ->> 'name' = dimension;
        if place is null then return 0; end if;
    end if;
    -- Lets the deletion below past the trigger that keeps releases as they are, and nothing after it.
    perform set_config('throng.retention', 'on', true);
    with due as (
        select r.release_id, r.period_start, r.period_end from throng.release as r
        where r.metric_id = wanted_metric
            and r.period_end <= ended_before
            and r.period_start < coalesce(began_before, 'infinity')
            and (shorter_than is null or r.period_kind < shorter_than)
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
        select due.release_id, due.period_start, due.period_end, count(dropped.release_id) as cells from due
        left join dropped using (release_id)
        group by due.release_id, due.period_start, due.period_end
    ), noted as (
        insert into throng.decay (release_id, dropped, cells)
        select release_id, coalesce(dimension, '*'), cells from counted
        order by release_id
        returning release_id
    )
    select coalesce(sum(cells), 0), min(period_start) filter (where cells > 0), max(period_end) filter (where cells > 0)
    into gone, first_start, last_end from counted
    join noted using (release_id);
    perform set_config('throng.retention', 'off', true);
    perform throng.note_deletion(layout.app, 'numbers', layout.metric, term, first_start, last_end, gone);
    return gone;
end
$$;
grant execute on function throng.drop_released(integer, text, smallint, timestamptz, timestamptz, text)
    to throng_reporter;

-- Drops partitions whose periods are over, and notes it: counters that end before one instant, distinct counts before
-- another. Raw counters are kept no longer than what was released of them, so a partition goes by the periods in it, not by
-- the latest that could be.
--
-- A partition with a period that has no release yet stays, unless it is so old that nobody will release it: then the
-- promise to delete weighs more. Returns the names of the dropped tables.
create function throng.drop_partitions(
    counters_before timestamptz, distinct_before timestamptz, abandoned_before timestamptz
) returns setof text
language plpgsql security definer set search_path = pg_catalog, pg_temp
set lock_timeout = '2s'
as $$
declare
    guard constant bigint := 6073194562405269505;
    found record;
    child text;
    held bigint;
begin
    perform pg_advisory_xact_lock(guard);
    delete from throng.open_period where period_end < abandoned_before;
    delete from throng.open_rollup where period_end < abandoned_before;
    for found in
        select known.*,
            -- The last of its periods that was released; of one of which none was, as late as any could end.
            coalesce(
                (
                    select max(closed.period_end) from throng.closed_period as closed
                    join throng.metric_layout as layout using (metric_id)
                    where layout.period_kind = known.period_kind
                        and closed.period_start >= known.range_start
                        and closed.period_start < known.range_end
                ),
                throng.partition_end(known.period_kind, known.range_end)
            ) as last_end,
            exists (
                select from throng.open_period as open
                join throng.metric_layout as layout using (metric_id)
                where layout.period_kind = known.period_kind
                    and open.period_start >= known.range_start
                    and open.period_start < known.range_end
            ) or exists (
                select from throng.open_rollup as open
                join throng.metric_layout as layout using (metric_id)
                where layout.period_kind = known.period_kind
                    and open.period_start < known.range_end
                    and open.period_end > known.range_start
            ) as is_open
        from throng.partition as known
        order by known.period_kind, known.range_start
    loop
        continue when found.is_open;
        begin
            if found.has_counters and found.last_end <= counters_before then
                child := throng.partition_name('counter', found.period_kind, found.range_start);
                held := 0;
                if to_regclass(format('throng.%I', child)) is not null then
                    execute format('select count(*) from throng.%I', child) into held;
                end if;
                execute format('drop table if exists throng.%I', child);
                perform throng.note_deletion(
                    '*', 'counters', child, 'counters that were released, or given up', found.range_start, found.last_end, held);
                update throng.partition set has_counters = false
                where period_kind = found.period_kind and range_start = found.range_start;
                return next child;
            end if;
            if found.has_distinct and found.last_end <= distinct_before then
                child := throng.partition_name('distinct_count', found.period_kind, found.range_start);
                held := 0;
                if to_regclass(format('throng.%I', child)) is not null then
                    execute format('select count(*) from throng.%I', child) into held;
                end if;
                execute format('drop table if exists throng.%I', child);
                perform throng.note_deletion(
                    '*', 'counters', child, 'distinct counts that were released, or given up', found.range_start, found.last_end, held);
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
    -- Reasons tell small cells from empty ones: they don't outlive the counters that tell the same.
    delete from throng.withheld_cell as known
    using throng.release
    where release.release_id = known.release_id and release.period_end < counters_before;
end
$$;
grant execute on function throng.drop_partitions(timestamptz, timestamptz, timestamptz) to throng_reporter;

-- Revealed labels ------------------------------------------------------------------------------------------------------

-- A revealed dimension's values are learned while counting goes on: those that at least k devices sent within one window.
-- Counters know slots; a label says what a slot is called.
create table throng.revealed_label (
    app text not null,
    dimension text not null,
    slot integer not null,
    label text not null,
    learned_at timestamptz not null default now(),
    published_at timestamptz,
    retired_at timestamptz,
    evaluator text,
    output text,
    constraint revealed_label_pkey primary key (app, dimension, slot),
    constraint revealed_label_unique unique (app, dimension, label),
    constraint revealed_label_slot_fits check (slot between 0 and 4094),
    constraint revealed_label_fits check (octet_length(label) between 1 and 64),
    constraint revealed_label_evaluated check (
        (evaluator is null) = (output is null)
        and (evaluator is null or octet_length(evaluator) = 44 and octet_length(output) = 43)
    )
);
comment on table throng.revealed_label is 'Values that at least k devices sent within one window, and the buckets that they got. None of fewer devices is ever here.';
comment on column throng.revealed_label.dimension is 'Name of the dimension. Unit: none.';
comment on column throng.revealed_label.slot is 'Its bucket: the place among the dimension''s labels in layouts. Unit: none.';
comment on column throng.revealed_label.label is 'The value. Unit: none.';
comment on column throng.revealed_label.learned_at is 'When it was learned, or learned again. Unit: instant.';
comment on column throng.revealed_label.published_at is 'When a release last published a number of it, to the day. Unit: instant.';
comment on column throng.revealed_label.retired_at is 'When it was retired: from then on nothing is counted under it; it only names what was. Unit: instant.';
comment on column throng.revealed_label.evaluator is 'The public key by which it was evaluated, in base64url; null where it was learned from hashes of values alone. Unit: none.';
comment on column throng.revealed_label.output is 'The result of that key, 32 bytes in base64url; null where the key is. Unit: none.';
grant select on throng.revealed_label to throng_ingest;
grant select, update (published_at, retired_at), delete on throng.revealed_label to throng_reporter;

-- Learns a label and returns its slot; null where every slot has one. Whichever daemon is the first decides for all.
--
-- A label begins to look for a free slot where its hash says: one that was lost with a database that had to be restored
-- most likely comes back to where counters know it.
create function throng.learn_label(wanted_app text, wanted_dimension text, most integer, wanted text) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    start integer;
    found integer;
begin
    perform pg_advisory_xact_lock(hashtextextended('throng labels of ' || wanted_app || ' ' || wanted_dimension, 0));
    update throng.revealed_label as known
    set retired_at = null,
        learned_at = case when retired_at is null then learned_at else now() end
    where known.app = wanted_app and known.dimension = wanted_dimension and known.label = wanted
    returning known.slot into found;
    if found is not null then return found; end if;
    start := (hashtextextended(wanted, 0) % most + most) % most;
    select free into found from generate_series(0, most - 1) as free
    where not exists (
        select from throng.revealed_label as known
        where known.app = wanted_app and known.dimension = wanted_dimension and known.slot = free
    )
    order by (free - start + most) % most
    limit 1;
    if found is not null then
        insert into throng.revealed_label (app, dimension, slot, label)
        values (wanted_app, wanted_dimension, found, wanted);
    end if;
    return found;
end
$$;
grant execute on function throng.learn_label(text, text, integer, text) to throng_ingest;

-- Puts a label back that a daemon counts by and the database has lost; false where something else has its slot.
create function throng.restore_label(wanted_app text, wanted_dimension text, wanted_slot integer, wanted text)
returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
    perform pg_advisory_xact_lock(hashtextextended('throng labels of ' || wanted_app || ' ' || wanted_dimension, 0));
    insert into throng.revealed_label (app, dimension, slot, label)
    values (wanted_app, wanted_dimension, wanted_slot, wanted) on conflict do nothing;
    return exists (
        select from throng.revealed_label as known
        where known.app = wanted_app
            and known.dimension = wanted_dimension
            and known.slot = wanted_slot
            and known.label = wanted
    );
end
$$;
grant execute on function throng.restore_label(text, text, integer, text) to throng_ingest;

-- Notes what an evaluator makes of a label, instead of what was known. By it the daemon makes the label's hash of each
-- window, as devices do.
create function throng.evaluate_label(
    wanted_app text, wanted_dimension text, wanted text, key text, evaluated text
) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
    update throng.revealed_label as known
    set evaluator = key,
        output = evaluated
    where known.app = wanted_app and known.dimension = wanted_dimension and known.label = wanted
$$;
grant execute on function throng.evaluate_label(text, text, text, text, text) to throng_ingest;

-- Reports and where they go --------------------------------------------------------------------------------------------

-- A report's run is made once: its files are kept as they were made and signed, so that every delivery, also one by another
-- daemon after a crash, carries the same bytes under the same idempotency key.
create table throng.report_run (
    app text not null,
    report text not null,
    period_kind smallint not null,
    period_start timestamptz not null,
    period_end timestamptz not null,
    partner text not null,
    label text,
    attempt integer not null default 1,
    started_at timestamptz not null,
    finished_at timestamptz,
    outcome text not null,
    detail text,
    files_until timestamptz,
    constraint report_run_pkey primary key (app, report, period_kind, period_start),
    constraint report_run_outcome_known check (
        outcome in ('running', 'made', 'delivered', 'undelivered', 'failed')
    ),
    constraint report_run_finished_when_over check ((outcome in ('running', 'made')) = (finished_at is null))
);
comment on table throng.report_run is 'Scheduled runs of reports: one row a report, kind of period and period, so that a run is made once.';
comment on column throng.report_run.partner is 'The partner that receives it. Unit: none.';
comment on column throng.report_run.label is 'The period that it covers, as file names have it; null until the run is made. Unit: none.';
comment on column throng.report_run.attempt is 'The number of the try; only the last one may finish the run. Unit: tries, from 1.';
comment on column throng.report_run.started_at is 'When the last try began. Unit: instant.';
comment on column throng.report_run.finished_at is 'When it ended; null while it runs. Unit: instant.';
comment on column throng.report_run.outcome is 'running, made (deliveries are under way), delivered, undelivered (a delivery was given up), or failed (it could not be made). Unit: none.';
comment on column throng.report_run.detail is 'The cause of a failure, or the place where it went; no numbers. Unit: none.';
comment on column throng.report_run.files_until is 'The end of the time for which the first number in its files may be kept; null until they are made. Unit: instant.';
grant select, insert, update on throng.report_run to throng_reporter;

create table throng.run_file (
    app text not null,
    report text not null,
    period_kind smallint not null,
    period_start timestamptz not null,
    place smallint not null,
    name text not null,
    contents bytea not null,
    constraint run_file_pkey primary key (app, report, period_kind, period_start, place),
    constraint run_file_name_once unique (app, report, period_kind, period_start, name),
    constraint run_file_run foreign key (app, report, period_kind, period_start) references throng.report_run
);
comment on table throng.run_file is 'The files of runs, as they were made: released numbers only.';
comment on column throng.run_file.place is 'The place in the order in which files are delivered, the manifest last. Unit: none, from 0.';
comment on column throng.run_file.name is 'Its name without a folder. Unit: none.';
comment on column throng.run_file.contents is 'Its bytes. Unit: none.';
grant select, insert, delete on throng.run_file to throng_reporter;

create table throng.delivery (
    app text not null,
    report text not null,
    period_kind smallint not null,
    period_start timestamptz not null,
    target text not null,
    authorization_name text,
    idempotency_key bytea not null,
    state text not null default 'pending',
    attempts integer not null default 0,
    next_at timestamptz not null,
    leased_until timestamptz,
    last_error text,
    finished_at timestamptz,
    constraint delivery_pkey primary key (app, report, period_kind, period_start, target),
    constraint delivery_run foreign key (app, report, period_kind, period_start) references throng.report_run,
    constraint delivery_state_known check (state in ('pending', 'sent', 'failed', 'removed')),
    constraint delivery_finished_when_over check ((state = 'pending') = (finished_at is null)),
    constraint delivery_key_is_sha256 check (length(idempotency_key) = 32)
);
create index delivery_due on throng.delivery (next_at) where state = 'pending';
comment on table throng.delivery is 'The targets of each run, and how far its delivery is.';
comment on column throng.delivery.target is 'folder, put or post, a space, and where. Unit: none.';
comment on column throng.delivery.authorization_name is 'The name of the operator''s secret that goes with it; null for none. Never the secret. Unit: none.';
comment on column throng.delivery.idempotency_key is 'SHA-256 over app, report, period, target and files: the same for every try. Unit: none.';
comment on column throng.delivery.state is 'pending, sent, failed: given up, or removed: age took the copies from the folder. Unit: none.';
comment on column throng.delivery.attempts is 'Tries that were begun; only the last one may finish it. Unit: tries.';
comment on column throng.delivery.next_at is 'The first instant at which it may be tried. Unit: instant.';
comment on column throng.delivery.leased_until is 'The end of the time for which it belongs to the daemon that began the last try; null where nobody is at it. Unit: instant.';
comment on column throng.delivery.last_error is 'The error of the last try; no numbers of the report and no secret. Unit: none.';
comment on column throng.delivery.finished_at is 'When it was sent or given up; null while pending. Unit: instant.';
grant select, insert on throng.delivery to throng_reporter;
grant update (state, attempts, next_at, leased_until, last_error, finished_at) on throng.delivery to throng_reporter;

create table throng.delivered_file (
    app text not null,
    report text not null,
    period_kind smallint not null,
    period_start timestamptz not null,
    target text not null,
    place smallint not null,
    status smallint,
    delivered_at timestamptz not null,
    constraint delivered_file_pkey primary key (app, report, period_kind, period_start, target, place),
    constraint delivered_file_delivery
        foreign key (app, report, period_kind, period_start, target) references throng.delivery
);
comment on table throng.delivered_file is 'Files that arrived, so that they are not sent again when a delivery goes on.';
comment on column throng.delivered_file.target is 'The target that it reached, as in delivery. Unit: none.';
comment on column throng.delivered_file.place is 'The file, as in run_file. Unit: none, from 0.';
comment on column throng.delivered_file.status is 'The status of HTTP''s answer; null in folders. Unit: none.';
comment on column throng.delivered_file.delivered_at is 'When. Unit: instant.';
grant select, insert on throng.delivered_file to throng_reporter;

-- Pages: tokens with which people sign in, and browsers that have ------------------------------------------------------

create table throng.access_token (
    token_id text not null,
    secret_hash bytea not null,
    role text not null,
    app text,
    partner text,
    note text,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    revoked_at timestamptz,
    link_hash bytea,
    link_until timestamptz,
    constraint access_token_pkey primary key (token_id),
    constraint access_token_id_shape check (token_id ~ '^[0-9a-f]{8}$'),
    constraint access_token_hash_fits check (octet_length(secret_hash) = 32),
    constraint access_token_role_known check (role in ('partner', 'operator', 'analyst')),
    constraint access_token_partner_named check (
        (role = 'partner') = (partner is not null) and (role = 'partner') = (app is not null)
    ),
    constraint access_token_expires_later check (expires_at > created_at),
    constraint access_token_link_fits check (octet_length(link_hash) = 32),
    constraint access_token_link_ends check ((link_hash is null) = (link_until is null))
);
comment on table throng.access_token is 'Tokens of people who may look at pages. A token itself is nowhere: nobody who reads this can sign in.';
comment on column throng.access_token.token_id is 'The token''s public part. Unit: none.';
comment on column throng.access_token.secret_hash is 'SHA-256 of its secret part, which has 256 random bits. Unit: none.';
comment on column throng.access_token.role is 'partner, operator or analyst. Unit: none.';
comment on column throng.access_token.app is 'Of a partner: name of the app. Unit: none.';
comment on column throng.access_token.partner is 'Of a partner: its name. Unit: none.';
comment on column throng.access_token.note is 'The person that the operator gave it to; null 30 days after the token is worth nothing any more. Unit: none.';
comment on column throng.access_token.created_at is 'When it was made. Unit: instant.';
comment on column throng.access_token.expires_at is 'The end of its validity. Unit: instant.';
comment on column throng.access_token.revoked_at is 'When the operator took it back; null while nobody did. Unit: instant.';
comment on column throng.access_token.link_hash is 'SHA-256 of the link that signs its owner in once; null where there is none, or none any more. Unit: none.';
comment on column throng.access_token.link_until is 'The end of the time for which that link is good. Unit: instant.';
grant select, insert on throng.access_token to throng_reporter;
grant update (note, revoked_at, link_hash, link_until) on throng.access_token to throng_reporter;

create table throng.portal_session (
    cookie_hash bytea not null,
    token_id text not null,
    since timestamptz not null,
    until timestamptz not null,
    seen timestamptz not null,
    constraint portal_session_pkey primary key (cookie_hash),
    constraint portal_session_token_fkey foreign key (token_id) references throng.access_token on delete cascade,
    constraint portal_session_hash_fits check (octet_length(cookie_hash) = 32)
);
create index portal_session_token on throng.portal_session (token_id);
comment on table throng.portal_session is 'Browsers that have signed in to pages. A cookie itself is nowhere: nobody who reads this can sign in. Rows go when the session is over.';
comment on column throng.portal_session.cookie_hash is 'SHA-256 of the cookie, which has 256 random bits. Unit: none.';
comment on column throng.portal_session.token_id is 'The public part of the token by which somebody signed in. Unit: none.';
comment on column throng.portal_session.since is 'When. Unit: instant.';
comment on column throng.portal_session.until is 'The end of the session. Unit: instant.';
comment on column throng.portal_session.seen is 'The last look at a page. Unit: instant.';
grant select, insert, update, delete on throng.portal_session to throng_reporter;

create table throng.report_reading (
    token_id text not null,
    report text not null,
    hour timestamptz not null,
    constraint report_reading_pkey primary key (token_id, report),
    constraint report_reading_token_fkey foreign key (token_id) references throng.access_token on delete cascade
);
comment on table throng.report_reading is 'The last time at which a report was read by a partner''s token. Rows go when the token is worth nothing any more.';
comment on column throng.report_reading.token_id is 'The public part of the token. Unit: none.';
comment on column throng.report_reading.hour is 'The hour of the last reading. Unit: instant.';
grant select, insert, update, delete on throng.report_reading to throng_reporter;

create table throng.asked_number (
    token_id text not null,
    place smallint not null,
    id uuid not null default gen_random_uuid(),
    app text not null,
    question text not null,
    asked_at timestamptz not null,
    declined_at timestamptz,
    constraint asked_number_pkey primary key (token_id, place),
    constraint asked_number_token_fkey foreign key (token_id) references throng.access_token on delete cascade,
    constraint asked_number_place_known check (place between 1 and 8),
    constraint asked_number_question_fits check (octet_length(question) between 1 and 4096)
);
comment on table throng.asked_number is 'Numbers that readers miss and ask the plan''s owner for. Rows go 30 days after they were declined, 180 days after they were asked, and when the token is worth nothing any more.';
comment on column throng.asked_number.token_id is 'The public part of the token of whoever asks. Unit: none.';
comment on column throng.asked_number.place is 'A token has eight places, so that nobody asks for more at a time. Unit: none.';
comment on column throng.asked_number.id is 'The name of the question: another one may have its place later. Unit: none.';
comment on column throng.asked_number.question is 'What is missing, as a form says it: metric or event, split, measure, period, decision. Unit: none.';
comment on column throng.asked_number.asked_at is 'When. Unit: instant.';
comment on column throng.asked_number.declined_at is 'When its owner said no; null while it waits, or the plan has the number. Unit: instant.';
grant select, insert, update, delete on throng.asked_number to throng_reporter;

-- Deleting an app ------------------------------------------------------------------------------------------------------

-- Deletes all that is kept of an app, whatever age would have taken of it later, and notes it. Returns how many rows of
-- each kind went; none where nothing is known of it. What stays is that it was deleted: entries of the ledger of deletions.
--
-- No daemon may count for the app meanwhile: a flush would bring its counters back. For the schema's owner: no role of a
-- daemon may execute it.
create function throng.delete_app(wanted_app text, copies bigint) returns table (gone_kind text, gone_rows bigint)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
    -- Keys of the locks that let one session at a time change partitions, and layouts with their views.
    partitions constant bigint := 6073194562405269505;
    layouts constant bigint := 6073194562405269506;
    why constant text := 'the app was deleted';
    kinds constant text[] := array['numbers', 'counters', 'files', 'copies', 'coverage', 'labels', 'records'];
    totals bigint[] := array[0, 0, 0, coalesce(copies, 0), 0, 0, 0];
    metrics integer[];
    releases bigint[];
    view name;
    part record;
    gone bigint;
    first_start timestamptz;
    last_end timestamptz;
begin
    perform pg_advisory_xact_lock(partitions);
    perform pg_advisory_xact_lock(layouts);
    select coalesce(array_agg(known.metric_id), '{}') into metrics from throng.metric_layout as known
    where known.app = wanted_app;
    select coalesce(array_agg(known.release_id), '{}'), min(known.period_start), max(known.period_end)
    into releases, first_start, last_end from throng.release as known where known.metric_id = any (metrics);

    -- Those of groupings read the layouts' own.
    for view in
        select known.view_name from (
            select metric_id, view_name, 1 as turn from throng.grouping_view
            union all
            select metric_id, view_name, 2 from throng.metric_layout
        ) as known
        where known.metric_id = any (metrics) and known.view_name is not null
        order by known.turn
    loop
        execute format('drop view analyst.%I', view);
    end loop;
    -- Lets the deletions below past the triggers that keep releases as they are, and nothing after them.
    perform set_config('throng.retention', 'on', true);
    -- Those that the nodes of a cluster hold are named, so that a test can look at what they are told.
    delete from throng.counter as known where known.metric_id = any (metrics);
    get diagnostics gone = row_count;
    totals[2] := totals[2] + gone;
    delete from throng.distinct_count as known where known.metric_id = any (metrics);
    get diagnostics gone = row_count;
    totals[2] := totals[2] + gone;
    delete from throng.proved_first as known where known.metric_id = any (metrics);
    get diagnostics gone = row_count;
    totals[2] := totals[2] + gone;
    -- A table comes before those that it refers to. One without a kind says nothing that another does not.
    for part in
        select * from (values
            ('release_id', 'released_cell', 'numbers'), ('release_id', 'withheld_cell', null),
            ('release_id', 'shown_margin', null), ('release_id', 'shown_label', null), ('release_id', 'decay', null),
            ('release_id', 'release', 'records'),
            ('metric_id', 'open_period', null), ('metric_id', 'closed_period', null), ('metric_id', 'open_rollup', null),
            ('metric_id', 'impossible_cell', null), ('metric_id', 'layout_terms', null),
            ('metric_id', 'layout_promise', null), ('metric_id', 'grouping_view', null),
            ('metric_id', 'metric_layout', 'records'),
            ('app', 'delivered_file', null), ('app', 'delivery', 'records'), ('app', 'run_file', 'files'),
            ('app', 'report_run', 'records'), ('app', 'coverage', 'coverage'), ('app', 'revealed_label', 'labels'),
            ('app', 'plan_in_force', 'records'), ('app', 'member_plan', null), ('app', 'asked_number', 'records'),
            ('app', 'access_token', 'records')
        ) as known (key, name, kind)
    loop
        execute format(
            'delete from throng.%I where %I %s', part.name, part.key,
            case part.key when 'release_id' then '= any ($1)' when 'metric_id' then '= any ($2)' else '= $3' end)
        using releases, metrics, wanted_app;
        get diagnostics gone = row_count;
        if part.kind is not null then
            totals[array_position(kinds, part.kind)] := totals[array_position(kinds, part.kind)] + gone;
        end if;
    end loop;
    perform set_config('throng.retention', 'off', true);

    for gone_kind, gone_rows in select * from unnest(kinds, totals) loop
        continue when gone_rows <= 0;
        perform throng.note_deletion(
            wanted_app, gone_kind, 'everything', why,
            case when gone_kind = 'numbers' then first_start end, case when gone_kind = 'numbers' then last_end end,
            gone_rows);
        return next;
    end loop;
end
$$;

-- Columns that mean the same wherever they stand, but for those with a comment of their own ------------------------------

do $$
declare
    part record;
begin
    for part in
        select format('%I.%I.%I', nspname, relname, known.name) as place, known.comment from (values
            ('throng', 'app', 'Name of the app. Unit: none.'),
            ('throng', 'metric', 'Name of the metric. Unit: none.'),
            ('throng', 'report', 'Name of the report. Unit: none.'),
            ('throng', 'metric_id', 'The layout. Unit: none.'),
            ('throng', 'release_id', 'The release. Unit: none.'),
            ('throng', 'shard', 'The shard of the daemon. Unit: shards.'),
            ('throng', 'daemon', 'The data directory that owns the journal. Unit: none.'),
            ('throng', 'period_kind', 'Kind of period: 0 hour, 1 day, 2 week, 3 month. Unit: none.'),
            ('throng', 'period_start', 'First second of the period. Unit: instant.'),
            ('throng', 'period_end', 'First second after the period. Unit: instant.'),
            ('throng', 'margin', 'The dimensions that are kept: bit i stands for dimension i. Unit: bit set.'),
            ('throng', 'cell', 'The cell of that margin. Unit: none.'),
            ('analyst', 'app', 'Name of the app. Unit: none.'),
            ('analyst', 'metric', 'Name of the metric. Unit: none.'),
            ('analyst', 'view_name', 'The view in this schema. Unit: none.'),
            ('analyst', 'period_kind', 'hour, day, week or month. Unit: none.'),
            ('analyst', 'period_start', 'First second of the period. Unit: instant.'),
            ('analyst', 'period_end', 'First second after the period. Unit: instant.'),
            ('analyst', 'margin', 'The value of the view''s column margin. Unit: none.')
        ) as known (schema, name, comment)
        join pg_namespace on nspname = known.schema
        join pg_class on relnamespace = pg_namespace.oid and relkind in ('r', 'p', 'v')
        join pg_attribute on attrelid = pg_class.oid and attname = known.name::name
        where col_description(attrelid, attnum) is null
    loop
        execute format('comment on column %s is %L', part.place, part.comment);
    end loop;
end
$$;

-- Rights that are granted above are all that there are -----------------------------------------------------------------

revoke all on all tables in schema throng from public;
revoke all on all functions in schema throng from public;
