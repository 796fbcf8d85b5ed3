-- Works with version 31.
-- Several daemons of one database may have different plans of an app: a new one is brought to one after the other, and one may be
-- forgotten. So it is kept which plan is in force, one of each app, and which plan each daemon counts by. What a plan asks of
-- releases, and what it promises, holds for as long as some daemon counts by it. And who has signed in to pages is kept here, so
-- that every daemon knows.


-- Which plan is in force -----------------------------------------------------------------------------------------------

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
comment on table throng.plan_in_force is 'Which plan of each app is in force, and which ones were. Rows go only with their app.';
comment on column throng.plan_in_force.app is 'Name of the app. Unit: none.';
comment on column throng.plan_in_force.place is 'Counts from 1 in each app. Unit: none.';
comment on column throng.plan_in_force.plan is 'SHA-256 of the plan''s text. Unit: 32 bytes.';
comment on column throng.plan_in_force.since is 'When it came into force. Unit: instant.';
comment on column throng.plan_in_force.until is 'When another one did; null for the one in force. Unit: instant.';
comment on column throng.plan_in_force.daemon is 'The daemon that brought it. Unit: none.';
comment on column throng.plan_in_force.arrival is 'Why: first (there was none), edited (in the place of the one in force, where the daemon counted by that), applied (an operator said so), or inherited (nobody else had the one that was in force). Unit: none.';

create table throng.member_plan (
    daemon uuid not null,
    app text not null,
    plan bytea not null,
    since timestamptz not null,
    stopped_at timestamptz,
    constraint member_plan_pkey primary key (daemon, app),
    constraint member_plan_hash_fits check (octet_length(plan) = 32)
);
comment on table throng.member_plan is 'By which plan each daemon counts, or counted last.';
comment on column throng.member_plan.daemon is 'The daemon. Unit: none.';
comment on column throng.member_plan.app is 'Name of the app. Unit: none.';
comment on column throng.member_plan.plan is 'SHA-256 of the plan''s text. Unit: 32 bytes.';
comment on column throng.member_plan.since is 'When it first said so. Unit: instant.';
comment on column throng.member_plan.stopped_at is 'When it stopped and left nothing behind, or served the app no more; null while it may count. Unit: instant.';

grant select on throng.plan_in_force, throng.member_plan to throng_ingest, throng_reporter;

-- Key of the lock that lets one session at a time say by which plans a daemon counts: "THRG" and 33.
create function throng.lock_plans() returns void
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
    select pg_advisory_xact_lock(6073194562405269537)
$$;
revoke all on function throng.lock_plans() from public;

-- Notes by which plan of an app a daemon counts; says which one is in force then, and whether all daemons that count do so by it.
--
-- A plan comes into force where none is, where an operator says so, or where it takes the place of the one in force in the file of
-- a daemon that counted by that one: that is an edit of what is in force. Any other plan is older, or was made from an older one,
-- and leaves it as it is. So that nothing waits for a daemon that never comes back, a plan is inherited where everybody else who
-- has the one in force was retired; and by a daemon that is new, where all others have stopped and left nothing behind.
create function throng.announce_plan(wanted_daemon uuid, wanted_app text, wanted_plan bytea, is_applied boolean)
    returns table (
        plan bytea, since timestamptz, daemon uuid, arrival text, has_arrived boolean, is_everywhere boolean
    )
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    current throng.plan_in_force;
    former bytea;
    instant timestamptz;
begin
    perform throng.lock_plans();
    -- No earlier than what whoever had the lock before has written.
    instant := date_trunc('second', clock_timestamp());
    select known.* into current from throng.plan_in_force as known where known.app = wanted_app and known.until is null;
    select known.plan into former
    from throng.member_plan as known
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
                select
                from throng.member_plan as other
                left join throng.member on member.daemon = other.daemon
                where other.app = wanted_app
                    and other.daemon <> wanted_daemon
                    and member.retired_at is null
                    and case when former is null then other.stopped_at is null else other.plan = current.plan end
            ) then 'inherited'
        end;
        if arrival is not null then
            has_arrived := true;
            update throng.plan_in_force as known
            set until = instant
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
        select
        from throng.member_plan as other
        left join throng.member on member.daemon = other.daemon
        where other.app = wanted_app
            and other.plan <> current.plan
            and other.stopped_at is null
            and member.retired_at is null
    );
    return next;
end
$$;
revoke all on function throng.announce_plan(uuid, text, bytea, boolean) from public;
grant execute on function throng.announce_plan(uuid, text, bytea, boolean) to throng_ingest;

-- Notes that nothing is counted by a daemon's plans any more, but those of some apps, until it says so again.
create function throng.stop_plans(wanted_daemon uuid, kept text[]) returns void
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
    select throng.lock_plans()
    where exists (
        select from throng.member_plan where daemon = wanted_daemon and app <> all (kept) and stopped_at is null
    );
    update throng.member_plan
    set stopped_at = clock_timestamp()
    where daemon = wanted_daemon and app <> all (kept) and stopped_at is null;
$$;
revoke all on function throng.stop_plans(uuid, text[]) from public;
grant execute on function throng.stop_plans(uuid, text[]) to throng_ingest;


-- What plans ask and promise, while daemons count by several of them ------------------------------------------------------

comment on column throng.layout_terms.until is 'When no daemon counted by a plan any more that asked this; null while one does. Unit: instant.';
comment on column throng.layout_promise.until is 'When no daemon counted by a plan any more that promised this; null while one does. Unit: instant.';

-- Keeps what a plan asks of a registered layout, and since when, as throng.freeze_terms does; but what other plans ask goes on to hold
-- unless this one is counted by everywhere.
create function throng.hold_terms(
    wanted_metric integer, wanted_since bigint, wanted_threshold bigint, wanted_sensitive text[],
    wanted_protection smallint, wanted_events text[], wanted_needs_consent boolean, wanted_refused_by text[],
    wanted_origins jsonb, is_everywhere boolean
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
    for update;
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
            coalesce(known.origins, wanted_origins))
            is not distinct from (
                wanted_threshold, wanted_sensitive, wanted_protection, wanted_events, wanted_needs_consent,
                wanted_refused_by, wanted_origins)
    order by known.place desc
    limit 1;
    held_since := extract(epoch from instant)::bigint;
    is_edited := last.place is not null
        and own.place is null
        and (last.threshold, last.sensitive, last.protection, last.events, last.needs_consent, last.refused_by,
            coalesce(last.origins, wanted_origins))
            is distinct from (
                wanted_threshold, wanted_sensitive, wanted_protection, wanted_events, wanted_needs_consent,
                wanted_refused_by, wanted_origins);
    if is_everywhere then
        update throng.layout_terms as known
        set until = instant
        where known.metric_id = wanted_metric
            and known.until is null
            and known.place is distinct from own.place;
    end if;
    if own.place is null then
        insert into throng.layout_terms (
            metric_id, place, since, threshold, sensitive, protection, events, needs_consent, refused_by, origins)
        values (
            wanted_metric, coalesce(last.place, 0) + 1,
            case when last.place is null and created < instant - patience then null else instant end,
            wanted_threshold, wanted_sensitive, wanted_protection, wanted_events, wanted_needs_consent,
            wanted_refused_by, wanted_origins);
    elsif own.origins is null then
        update throng.layout_terms as known
        set origins = wanted_origins
        where known.metric_id = wanted_metric
            and known.place = own.place;
    end if;
    return next;
end;
$$;
revoke all on function throng.hold_terms(integer, bigint, bigint, text[], smallint, text[], boolean, text[], jsonb, boolean) from public;
grant execute on function throng.hold_terms(integer, bigint, bigint, text[], smallint, text[], boolean, text[], jsonb, boolean) to throng_ingest;

-- Keeps what a plan promises of a registered layout, and since when, as throng.freeze_promise does; but what other plans promise
-- goes on to hold unless this one is counted by everywhere.
create function throng.hold_promise(
    wanted_metric integer, wanted_since bigint, wanted_ages bigint[], wanted_actions text[], wanted_explanation text,
    wanted_recipients text[], is_everywhere boolean
) returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    instant constant timestamptz := to_timestamp(wanted_since);
    -- A layout that is so much older than its first promise was counted without any.
    patience constant interval := '1 minute';
    created timestamptz;
    last_place integer;
    own_place integer;
begin
    select layout.created_at
    into strict created
    from throng.metric_layout as layout
    where layout.metric_id = wanted_metric
    for update;
    select max(known.place),
        max(known.place) filter (
            where known.until is null
                and (known.ages, known.actions) = (wanted_ages, wanted_actions)
                and known.explanation is not distinct from wanted_explanation
                and known.recipients is not distinct from wanted_recipients
        )
    into last_place, own_place
    from throng.layout_promise as known
    where known.metric_id = wanted_metric;
    if is_everywhere then
        update throng.layout_promise as known
        set until = instant
        where known.metric_id = wanted_metric
            and known.until is null
            and known.place is distinct from own_place;
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
revoke all on function throng.hold_promise(integer, bigint, bigint[], text[], text, text[], boolean) from public;
grant execute on function throng.hold_promise(integer, bigint, bigint[], text[], text, text[], boolean) to throng_ingest;


-- Who has signed in ----------------------------------------------------------------------------------------------------

create table throng.portal_session (
    cookie_hash bytea not null,
    token_id text not null,
    since timestamptz not null,
    until timestamptz not null,
    constraint portal_session_pkey primary key (cookie_hash),
    constraint portal_session_token_fkey foreign key (token_id) references throng.access_token on delete cascade,
    constraint portal_session_hash_fits check (octet_length(cookie_hash) = 32)
);
create index portal_session_token on throng.portal_session (token_id);
comment on table throng.portal_session is 'Browsers that have signed in to pages. A cookie itself is nowhere: who reads this can''t sign in. Rows go when the session is over.';
comment on column throng.portal_session.cookie_hash is 'SHA-256 of the cookie, which has 256 random bits. Unit: none.';
comment on column throng.portal_session.token_id is 'The public part of the token by which somebody signed in. Unit: none.';
comment on column throng.portal_session.since is 'When. Unit: instant.';
comment on column throng.portal_session.until is 'From when on the session is over. Unit: instant.';
grant select, insert, update, delete on throng.portal_session to throng_reporter;


-- Deleting an app ------------------------------------------------------------------------------------------------------

-- As before; which plans of it were in force goes, too.
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
    draws bigint[];
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
    select coalesce(array_agg(known.draw_id), '{}')
    into draws
    from throng.noise_draw as known
    where known.app = wanted_app;

    -- Lets the deletions below past the triggers that keep releases as they are, and nothing after them.
    perform set_config('throng.retention', 'on', true);
    delete from throng.released_cell as known where known.release_id = any (releases);
    get diagnostics numbers = row_count;
    delete from throng.withheld_cell as known where known.release_id = any (releases);
    delete from throng.shown_margin as known where known.release_id = any (releases);
    delete from throng.shown_label as known where known.release_id = any (releases);
    delete from throng.decay as known where known.release_id = any (releases);
    delete from throng.noise_cell as known where known.draw_id = any (draws);
    delete from throng.release as known where known.release_id = any (releases);
    get diagnostics gone = row_count;
    records := records + gone;
    delete from throng.noise_draw as known where known.draw_id = any (draws);
    get diagnostics gone = row_count;
    records := records + gone;
    delete from throng.release_kind as known where known.app = wanted_app;
    delete from throng.noise_budget as known where known.app = wanted_app;
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
