-- Three things that a release or a round of retention asks for first: is the time of day to be believed, how long was it
-- promised that numbers are kept, and does PostgreSQL have everything that daemons acknowledged.


-- The time that is believed --------------------------------------------------------------------------------------------

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
comment on column throng.clock.machine is 'Which start of which machine it was read in. Unit: the kernel''s boot id.';
comment on column throng.clock.uptime is 'How long that machine had run then, by a clock that nobody sets. Unit: seconds.';
comment on column throng.clock.confirmations is 'How often an operator has said what time it is. Unit: times.';
grant select, insert, update on throng.clock to throng_reporter;


-- How long numbers are kept ------------------------------------------------------------------------------------------

alter table throng.metric_layout
    add column expiry_after bigint[],
    add column expiry_drops text[],
    add constraint metric_layout_expiry_together check (
        (expiry_after is null) = (expiry_drops is null)
        and coalesce(cardinality(expiry_after), 0) = coalesce(cardinality(expiry_drops), 0)
    );
comment on column throng.metric_layout.expiry_after is 'At which ages the last plan with this layout takes numbers of it, retention last; null where no plan said so. Unit: seconds from the end of the period.';
comment on column throng.metric_layout.expiry_drops is 'What goes at each of these ages: a dimension, or * for all. Unit: none.';

drop function throng.keep_terms(integer, bigint, text[], smallint);

-- Keeps the terms of a registered layout, as the plan in force has them.
create function throng.keep_terms(
    wanted_metric integer, wanted_threshold bigint, wanted_sensitive text[], wanted_protection smallint,
    wanted_after bigint[], wanted_drops text[]
) returns void
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
    update throng.metric_layout
    set threshold = wanted_threshold,
        sensitive = wanted_sensitive,
        protection = wanted_protection,
        expiry_after = wanted_after,
        expiry_drops = wanted_drops
    where metric_id = wanted_metric
        and (threshold, sensitive, protection, expiry_after, expiry_drops)
            is distinct from (wanted_threshold, wanted_sensitive, wanted_protection, wanted_after, wanted_drops)
$$;
revoke all on function throng.keep_terms(integer, bigint, text[], smallint, bigint[], text[]) from public;
grant execute on function throng.keep_terms(integer, bigint, text[], smallint, bigint[], text[]) to throng_ingest;

alter table throng.report_run add column files_until timestamptz;
comment on column throng.report_run.files_until is 'When the first number in its files may be kept no longer; null before they are made, and in runs of earlier versions. Unit: instant.';

-- Raw counters are kept no longer than what was released of them, and a partition may hold the counters of a month: it goes
-- by the periods in it, not by the latest that could be. Otherwise as before.
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
                execute format('drop table if exists throng.%I', child);
                update throng.partition set has_counters = false
                where period_kind = found.period_kind and range_start = found.range_start;
                return next child;
            end if;
            if found.has_distinct and found.last_end <= distinct_before then
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
    -- Reasons tell small cells from empty ones: they don't outlive the counters that tell the same.
    delete from throng.withheld_cell as known
    using throng.release
    where release.release_id = known.release_id
        and release.period_end < counters_before;
end
$$;


-- What daemons have delivered ------------------------------------------------------------------------------------------

-- Who is about to release takes the next number; a daemon that has seen a number, and whose flush has taken all that it
-- had acknowledged by then, writes it beside its watermark. No clock has a part in it.
create sequence throng.settlement as bigint;
-- A sequence that was never asked says 1, too: from here on it says what was asked for last.
select nextval('throng.settlement');
comment on sequence throng.settlement is 'How often somebody has asked whether PostgreSQL has all that daemons acknowledged. Unit: times.';
grant select on sequence throng.settlement to throng_ingest;
grant usage on sequence throng.settlement to throng_reporter;

alter table throng.watermark
    add column settled bigint not null default 0,
    add column settled_at timestamptz;
comment on column throng.watermark.settled is 'The last asking that it has answered: all that it acknowledged before is in the counters. The largest bigint once it has stopped and left nothing behind. Unit: askings of throng.settlement.';
comment on column throng.watermark.settled_at is 'When it said so last; null where it never did. Unit: instant.';
-- Whoever runs now attaches anew after this migration.
update throng.watermark set settled = 9223372036854775807;
grant select (shard, daemon, settled, settled_at, advanced_at, attached_at) on throng.watermark to throng_reporter;


-- Which periods a flush may go to --------------------------------------------------------------------------------------

-- Whether a partition may be made for a period. A clock that is years ahead, or a value that is no time at all, must not
-- fill the catalogue; but where periods were released ahead of the time, what comes late for them goes behind the last.
create function throng.takes_period(period_start timestamptz) returns boolean
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
    select period_start >= timestamptz '2020-01-01 00:00:00+00'
        and (
            period_start <= now() + interval '100 days'
            or period_start <= (select coalesce(max(period_end), '-infinity') from throng.closed_period)
        )
$$;
revoke all on function throng.takes_period(timestamptz) from public;
grant execute on function throng.takes_period(timestamptz) to throng_ingest;

create or replace function throng.ensure_partitions(wanted_kind smallint, wanted_starts timestamptz[]) returns integer
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

-- Which of a flush's periods can't take its counts: of a metric with noise, those that the calendar gave to no release of
-- this layout. Such a release would not be made by the clock, but because somebody was there.
create function throng.displaced_periods(wanted_metrics integer[], wanted_starts timestamptz[])
returns table (metric_id integer, period_start timestamptz, is_taken boolean)
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
    select touched.metric_id,
        touched.period_start,
        -- Whether another release of the metric has it, so that this layout never will.
        kind.kind is not null or exists (
            select
            from throng.metric_layout as other
            where other.app = layout.app
                and other.metric = layout.metric
                and other.period_kind = layout.period_kind
                and other.layout ->> 'noise' is null
                and (
                    exists (
                        select from throng.open_period as open
                        where open.metric_id = other.metric_id
                            and open.period_start = touched.period_start
                    )
                    or exists (
                        select from throng.closed_period as closed
                        where closed.metric_id = other.metric_id
                            and closed.period_start = touched.period_start
                    )
                )
        )
    from unnest(wanted_metrics, wanted_starts) as touched (metric_id, period_start)
    join throng.metric_layout as layout using (metric_id)
    left join throng.release_kind as kind
        on kind.app = layout.app
        and kind.metric = layout.metric
        and kind.period_kind = layout.period_kind
        and kind.period_start = touched.period_start
    where layout.layout ->> 'noise' is not null
        and kind.metric_id is distinct from touched.metric_id
$$;
revoke all on function throng.displaced_periods(integer[], timestamptz[]) from public;
grant execute on function throng.displaced_periods(integer[], timestamptz[]) to throng_ingest;
