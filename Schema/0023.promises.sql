-- How long numbers are kept was promised when they were counted. So it is kept from when to when each plan promised what, and
-- whatever a later plan says, what was promised before holds for what was counted before; a later plan only takes more. What
-- age takes, and by which promise, is written down for good.


-- What was promised ----------------------------------------------------------------------------------------------------

create table throng.layout_promise (
    metric_id integer not null,
    place integer not null,
    since timestamptz,
    until timestamptz,
    ages bigint[] not null,
    actions text[] not null,
    constraint layout_promise_pkey primary key (metric_id, place),
    constraint layout_promise_metric_fkey foreign key (metric_id) references throng.metric_layout,
    constraint layout_promise_together check (cardinality(ages) = cardinality(actions))
);
comment on table throng.layout_promise is 'What each plan promised of how long a layout''s numbers are kept, one row for each time that it promised something else. Rows are never deleted.';
comment on column throng.layout_promise.metric_id is 'The layout. Unit: none.';
comment on column throng.layout_promise.place is 'Counts from 1 in each layout. Unit: none.';
comment on column throng.layout_promise.since is 'When a daemon first started with it; null where the layout was counted before anybody kept promises. Unit: instant.';
comment on column throng.layout_promise.until is 'When a daemon first started with another plan; null for the one in force. Unit: instant.';
comment on column throng.layout_promise.ages is 'At which ages numbers go, retention last. Unit: seconds from the end of the period.';
comment on column throng.layout_promise.actions is 'What goes at each of these ages: drop and a dimension, coarsen and two, keep and a period or totals, or delete. Unit: none.';
grant select on throng.layout_promise to throng_reporter;

-- What the last plan promised is all that is known of the plans before it.
insert into throng.layout_promise (metric_id, place, ages, actions)
select layout.metric_id,
    1,
    layout.expiry_after,
    array(
        select case dropped when '*' then 'delete' else 'drop ' || dropped end
        from unnest(layout.expiry_drops) with ordinality as step (dropped, place)
        order by step.place
    )
from throng.metric_layout as layout
where cardinality(layout.expiry_after) > 0;

alter table throng.metric_layout
    drop constraint metric_layout_expiry_together,
    drop column expiry_after,
    drop column expiry_drops;

drop function throng.keep_terms(integer, bigint, text[], smallint, bigint[], text[]);
create function throng.keep_terms(
    wanted_metric integer, wanted_threshold bigint, wanted_sensitive text[], wanted_protection smallint
) returns void
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
    update throng.metric_layout
    set threshold = wanted_threshold,
        sensitive = wanted_sensitive,
        protection = wanted_protection
    where metric_id = wanted_metric
        and (threshold, sensitive, protection)
            is distinct from (wanted_threshold, wanted_sensitive, wanted_protection)
$$;
revoke all on function throng.keep_terms(integer, bigint, text[], smallint) from public;
grant execute on function throng.keep_terms(integer, bigint, text[], smallint) to throng_ingest;

-- Keeps what the plan in force promises of a registered layout, and since when. Nothing happens where the plan before it
-- promised the same. Whoever calls it has locked the layout's row.
create function throng.freeze_promise(
    wanted_metric integer, wanted_since bigint, wanted_ages bigint[], wanted_actions text[]
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
    last throng.layout_promise;
begin
    select layout.created_at
    into strict created
    from throng.metric_layout as layout
    where layout.metric_id = wanted_metric
    for update;
    select known.*
    into last
    from throng.layout_promise as known
    where known.metric_id = wanted_metric
    order by known.place desc
    limit 1;
    if last.place is not null and last.until is null and (last.ages, last.actions) = (wanted_ages, wanted_actions) then
        return;
    end if;
    update throng.layout_promise as known
    set until = instant
    where known.metric_id = wanted_metric
        and known.until is null;
    insert into throng.layout_promise (metric_id, place, since, ages, actions)
    values (
        wanted_metric, coalesce(last.place, 0) + 1,
        case when last.place is null and created < instant - patience then null else instant end,
        wanted_ages, wanted_actions);
end;
$$;
revoke all on function throng.freeze_promise(integer, bigint, bigint[], text[]) from public;
grant execute on function throng.freeze_promise(integer, bigint, bigint[], text[]) to throng_ingest;

-- Ends the terms and the promises of layouts that the plan in force no longer has: all of the apps of these layouts but
-- themselves.
create or replace function throng.retire_terms(kept integer[], ended bigint) returns void
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
    update throng.layout_terms as terms
    set until = to_timestamp(ended)
    from throng.metric_layout as layout
    where layout.metric_id = terms.metric_id
        and terms.until is null
        and terms.metric_id <> all (kept)
        and layout.app in (
            select mine.app
            from throng.metric_layout as mine
            where mine.metric_id = any (kept)
        );
    update throng.layout_promise as promise
    set until = to_timestamp(ended)
    from throng.metric_layout as layout
    where layout.metric_id = promise.metric_id
        and promise.until is null
        and promise.metric_id <> all (kept)
        and layout.app in (
            select mine.app
            from throng.metric_layout as mine
            where mine.metric_id = any (kept)
        )
$$;


-- What went ------------------------------------------------------------------------------------------------------------

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
    constraint deletion_kind_known check (kind in ('numbers', 'counters', 'files', 'copies', 'coverage', 'labels')),
    constraint deletion_rows_positive check (rows > 0),
    constraint deletion_digest_is_sha256 check (octet_length(digest) = 32)
);
create index deletion_by_app on throng.deletion (app, taken_at);
comment on table throng.deletion is 'What age took: when, of what, by which promise, and how many rows. Each row''s digest covers the one before; nothing changes or goes.';
comment on column throng.deletion.place is 'Counts from 1 without a gap. Unit: none.';
comment on column throng.deletion.taken_at is 'When, to the second. Unit: instant.';
comment on column throng.deletion.app is 'Name of the app; * where it was of several apps'' together. Unit: none.';
comment on column throng.deletion.kind is 'numbers (released), counters (raw), files (of reports, here), copies (of reports, in folders), coverage, or labels. Unit: none.';
comment on column throng.deletion.subject is 'The metric, table, report or dimension. Unit: none.';
comment on column throng.deletion.term is 'By which promise: after how many seconds, and what goes then. Unit: none.';
comment on column throng.deletion.period_start is 'First second that it was about; null where it was about no period. Unit: instant.';
comment on column throng.deletion.period_end is 'First second after that. Unit: instant.';
comment on column throng.deletion.rows is 'How much went: cells, counters, files, hours or labels. Unit: rows.';
comment on column throng.deletion.digest is 'SHA-256 over the digest before it and this row. Unit: 32 bytes.';
grant select on throng.deletion to throng_reporter;

create trigger deletion_never_changes
before update or delete or truncate on throng.deletion
for each statement execute function throng.refuse_change();

-- What a row of the ledger is in its digest: the digest before it in hexadecimal digits and the columns, one a line; instants
-- are Unix seconds, and what is null is empty.
create function throng.deletion_text(before bytea, known throng.deletion) returns text
language sql
immutable
set search_path = pg_catalog, pg_temp
as $$
    select array_to_string(
        array[
            encode(before, 'hex'), known.place::text, extract(epoch from known.taken_at)::bigint::text, known.app,
            known.kind, known.subject, known.term, extract(epoch from known.period_start)::bigint::text,
            extract(epoch from known.period_end)::bigint::text, known.rows::text
        ], E'\n', '')
$$;
revoke all on function throng.deletion_text(bytea, throng.deletion) from public;

-- Writes down that something went, unless nothing did.
create function throng.note_deletion(
    wanted_app text, wanted_kind text, wanted_subject text, wanted_term text, wanted_start timestamptz,
    wanted_end timestamptz, wanted_rows bigint
) returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    -- Key of the lock that lets one session at a time add to the ledger: "THRG" and 3.
    guard constant bigint := 6073194562405269507;
    last throng.deletion;
    new throng.deletion;
begin
    if coalesce(wanted_rows, 0) <= 0 then
        return;
    end if;
    perform pg_advisory_xact_lock(guard);
    select known.*
    into last
    from throng.deletion as known
    order by known.place desc
    limit 1;
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
revoke all on function throng.note_deletion(text, text, text, text, timestamptz, timestamptz, bigint) from public;
grant execute on function throng.note_deletion(text, text, text, text, timestamptz, timestamptz, bigint)
    to throng_reporter;

-- Deletes released cells by age and notes it: those that keep one dimension, or all where the dimension is null; of releases of
-- periods that are shorter than a kind, where one is given.
--
-- Releases whose period ended before the one instant and began before the other are touched, each once a step. Returns how
-- many cells went.
drop function throng.drop_released(integer, text, timestamptz);
create function throng.drop_released(
    wanted_metric integer, dimension text, shorter_than smallint, ended_before timestamptz, began_before timestamptz,
    term text
) returns bigint
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    -- Bits of the dimension in margins; every cell where there is none.
    place integer;
    layout throng.metric_layout;
    gone bigint;
    first_start timestamptz;
    last_end timestamptz;
begin
    select known.*
    into strict layout
    from throng.metric_layout as known
    where known.metric_id = wanted_metric;
    if dimension is not null then
        select ordinality - 1 into place
        from json_array_elements(layout.layout -> 'dimensions') with ordinality
        where value ->> 'name' = dimension;
        if place is null then
            return 0;
        end if;
    end if;
    -- Lets the deletion below past the trigger that keeps releases as they are, and nothing after it.
    perform set_config('throng.retention', 'on', true);
    with due as (
        select r.release_id, r.period_start, r.period_end
        from throng.release as r
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
        select due.release_id, due.period_start, due.period_end, count(dropped.release_id) as cells
        from due
        left join dropped using (release_id)
        group by due.release_id, due.period_start, due.period_end
    ), noted as (
        insert into throng.decay (release_id, dropped, cells)
        select release_id, coalesce(dimension, '*'), cells
        from counted
        order by release_id
        returning release_id
    )
    select coalesce(sum(cells), 0), min(period_start) filter (where cells > 0), max(period_end) filter (where cells > 0)
    into gone, first_start, last_end
    from counted
    join noted using (release_id);
    perform set_config('throng.retention', 'off', true);
    perform throng.note_deletion(layout.app, 'numbers', layout.metric, term, first_start, last_end, gone);
    return gone;
end
$$;
revoke all on function throng.drop_released(integer, text, smallint, timestamptz, timestamptz, text) from public;
grant execute on function throng.drop_released(integer, text, smallint, timestamptz, timestamptz, text) to throng_reporter;

-- As before, and what goes is noted.
create or replace function throng.drop_partitions(
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
    held bigint;
begin
    perform pg_advisory_xact_lock(guard);
    delete from throng.open_period where period_end < abandoned_before;
    delete from throng.open_rollup where period_end < abandoned_before;
    delete from throng.kept_period where period_end < abandoned_before;
    for found in
        select known.*,
            -- The last of its periods that was released; of one of which none was, as late as any could end.
            coalesce(
                (
                    select max(closed.period_end)
                    from throng.closed_period as closed
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
            ) or exists (
                select from throng.kept_period as kept
                where kept.period_kind = known.period_kind
                    and kept.period_start >= known.range_start
                    and kept.period_start < known.range_end
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
    where release.release_id = known.release_id
        and release.period_end < counters_before;
end
$$;
