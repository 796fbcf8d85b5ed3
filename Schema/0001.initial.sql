-- What Throng keeps: counters of crowds, places in journals, and releases. No column here can hold an identifier, an
-- address, a raw field value or a single event.
--
-- Roles:
--   throng_ingest    adds to counters, which takes reading them; sees nothing else.
--   throng_reporter  reads counters, writes releases.
--   throng_analyst   sees released numbers through schema analyst; nothing else.
-- Every function runs with an empty search path, so every name carries its schema.

do $$
declare
    wanted text;
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
    if not (select rolsuper from pg_catalog.pg_roles where rolname = current_user) then
        execute format('grant throng_ingest, throng_reporter to %I', current_user);
    end if;
    execute format('grant connect on database %I to throng_ingest, throng_reporter, throng_analyst', current_database());
    execute format('grant temporary on database %I to throng_ingest, throng_reporter', current_database());
end
$$;

revoke all on schema throng from public;
grant usage on schema throng to throng_ingest, throng_reporter;

create schema analyst;
comment on schema analyst is 'Released numbers: every one stands for at least k devices. Nothing else is visible here.';
revoke all on schema analyst from public;
grant usage on schema analyst to throng_analyst;

alter default privileges in schema throng revoke all on tables from public;


-- Layouts: what a counter's cell number means ------------------------------------------------------------------------

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
    constraint metric_layout_pkey primary key (metric_id),
    constraint metric_layout_id_unique unique (layout_id),
    constraint metric_layout_version_unique unique (app, metric, version),
    constraint metric_layout_view_unique unique (view_name),
    -- json, not jsonb: it keeps the text byte by byte, so the identity can be checked.
    constraint metric_layout_id_is_digest check (layout_id = sha256(convert_to(layout::text, 'UTF8'))),
    constraint metric_layout_period_kind_known check (period_kind between 0 and 3)
);
create unique index metric_layout_one_current on throng.metric_layout (app, metric) where is_current;
comment on table throng.metric_layout is 'How each metric is laid out in counters. A change of a metric makes a new row; rows are never deleted.';
comment on column throng.metric_layout.metric_id is 'Short name of the layout in counters. Unit: none.';
comment on column throng.metric_layout.layout_id is 'SHA-256 of the layout''s JSON. Unit: 32 bytes.';
comment on column throng.metric_layout.layout is 'The layout as the daemon wrote it: JSON with sorted keys. Unit: none.';
comment on column throng.metric_layout.app is 'Name of the app. Unit: none.';
comment on column throng.metric_layout.metric is 'Name of the metric. Unit: none.';
comment on column throng.metric_layout.period_kind is 'What a counter covers: 0 hour, 1 day, 2 week, 3 month. Unit: none.';
comment on column throng.metric_layout.version is 'Which layout of this metric, in order of first sight. Unit: layouts, from 1.';
comment on column throng.metric_layout.view_name is 'The view in schema analyst that shows its releases. Unit: none.';
comment on column throng.metric_layout.is_current is 'Whether a daemon registered it last among the metric''s layouts. Unit: yes or no.';
comment on column throng.metric_layout.created_at is 'When it was first registered. Unit: instant.';


-- Counters -----------------------------------------------------------------------------------------------------------

-- shard comes first in every key of a counter, so that Citus can distribute by it; it is 0 while one server holds all.
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
comment on column throng.counter.shard is 'Distribution key; 0 while one PostgreSQL holds everything. Unit: none.';
comment on column throng.counter.period_kind is 'What it covers: 0 hour, 1 day, 2 week, 3 month. Unit: none.';
comment on column throng.counter.period_start is 'First second of the period. Unit: instant.';
comment on column throng.counter.metric_id is 'The layout that gives the cell its meaning. Unit: none.';
comment on column throng.counter.measure is 'Which counter of the cell: 0 is the count, i + 1 is sum i. Unit: none.';
comment on column throng.counter.cell is 'Mixed radix over the dimensions, the last one running fastest. Unit: none.';
comment on column throng.counter.value is 'Unit: events, or 10^-decimals of the sum''s unit. Saturates.';

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
comment on column throng.distinct_count.shard is 'Distribution key; 0 while one PostgreSQL holds everything. Unit: none.';
comment on column throng.distinct_count.period_kind is 'What it covers: 0 hour, 1 day, 2 week, 3 month. Unit: none.';
comment on column throng.distinct_count.period_start is 'First second of the period. Unit: instant.';
comment on column throng.distinct_count.metric_id is 'The layout that gives the cell its meaning. Unit: none.';
comment on column throng.distinct_count.margin is 'Which dimensions are kept: bit i stands for dimension i. Unit: bit set.';
comment on column throng.distinct_count.cell is 'The cell of that margin. Unit: none.';
comment on column throng.distinct_count.window_number is 'floor(unix time / rotation). Unit: windows.';
comment on column throng.distinct_count.devices is 'Identifiers first seen in this cell in this window. Unit: identifiers. Saturates.';

create table throng.partition (
    period_kind smallint not null,
    range_start timestamptz not null,
    range_end timestamptz not null,
    has_counters boolean not null default true,
    has_distinct boolean not null default true,
    constraint partition_pkey primary key (period_kind, range_start),
    constraint partition_range_ascends check (range_start < range_end)
);
comment on table throng.partition is 'Which partitions exist: one a UTC day for hours and days, one a week, one a month.';
comment on column throng.partition.period_kind is 'Of which periods: 0 hour, 1 day, 2 week, 3 month. Unit: none.';
comment on column throng.partition.range_start is 'First period start that it holds. Unit: instant.';
comment on column throng.partition.range_end is 'First period start that it no longer holds. Unit: instant.';
comment on column throng.partition.has_counters is 'Whether throng.counter still has this partition. Unit: yes or no.';
comment on column throng.partition.has_distinct is 'Whether throng.distinct_count still has this partition. Unit: yes or no.';

-- Adds without ever failing: an overflow must not wedge a daemon's flush.
create function throng.saturating_add(bigint, bigint) returns bigint
language sql
immutable
parallel safe
return case
    when $2 > 0 and $1 > 9223372036854775807 - $2 then 9223372036854775807
    when $2 < 0 and $1 < (-9223372036854775807 - 1) - $2 then -9223372036854775807 - 1
    else $1 + $2
end;


-- Places in journals and in time -------------------------------------------------------------------------------------

create table throng.watermark (
    shard smallint not null default 0,
    daemon uuid not null,
    position bigint not null,
    fence bigint not null,
    attached_at timestamptz not null default now(),
    advanced_at timestamptz not null default now(),
    constraint watermark_pkey primary key (shard, daemon),
    constraint watermark_position_not_negative check (position >= 0)
) with (fillfactor = 50);
comment on table throng.watermark is 'How far each daemon''s journal has been added to the counters of a shard.';
comment on column throng.watermark.shard is 'The shard whose counters it guards. Unit: none.';
comment on column throng.watermark.daemon is 'The data directory that owns the journal. Unit: none.';
comment on column throng.watermark.position is 'Everything up to this place is in the counters. Unit: batches.';
comment on column throng.watermark.fence is 'Grows whenever a process attaches; only the last one may flush. Unit: attachments.';
comment on column throng.watermark.attached_at is 'When a process last attached. Unit: instant.';
comment on column throng.watermark.advanced_at is 'When the position last moved. Unit: instant.';

create table throng.open_period (
    metric_id integer not null,
    period_start timestamptz not null,
    period_end timestamptz not null,
    constraint open_period_pkey primary key (metric_id, period_start),
    constraint open_period_metric_fkey foreign key (metric_id) references throng.metric_layout
);
comment on table throng.open_period is 'Periods that have counters and no release yet; spares the release step a scan of every counter.';
comment on column throng.open_period.metric_id is 'The layout. Unit: none.';
comment on column throng.open_period.period_start is 'First second of the period. Unit: instant.';
comment on column throng.open_period.period_end is 'First second after the period. Unit: instant.';

create table throng.closed_period (
    metric_id integer not null,
    period_start timestamptz not null,
    period_end timestamptz not null,
    closed_at timestamptz not null default now(),
    constraint closed_period_pkey primary key (metric_id, period_start),
    constraint closed_period_metric_fkey foreign key (metric_id) references throng.metric_layout
);
create index closed_period_by_end on throng.closed_period (period_end);
comment on table throng.closed_period is 'Periods that were released: no counter of theirs changes any more.';
comment on column throng.closed_period.metric_id is 'The layout. Unit: none.';
comment on column throng.closed_period.period_start is 'First second of the period. Unit: instant.';
comment on column throng.closed_period.period_end is 'First second after the period. Unit: instant.';
comment on column throng.closed_period.closed_at is 'When its release was made. Unit: instant.';


-- Releases -----------------------------------------------------------------------------------------------------------

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
    constraint release_pkey primary key (release_id),
    constraint release_once unique (metric_id, period_start),
    constraint release_metric_fkey foreign key (metric_id) references throng.metric_layout,
    constraint release_digest_is_sha256 check (octet_length(digest) = 32)
);
create index release_by_period on throng.release (app, metric, period_kind, period_start);
comment on table throng.release is 'The ledger: what left the house, once per metric and period. Never changes.';
comment on column throng.release.release_id is 'Short name in released_cell. Unit: none.';
comment on column throng.release.metric_id is 'The layout. Unit: none.';
comment on column throng.release.app is 'Name of the app. Unit: none.';
comment on column throng.release.metric is 'Name of the metric. Unit: none.';
comment on column throng.release.period_kind is 'What it covers: 0 hour, 1 day, 2 week, 3 month. Unit: none.';
comment on column throng.release.period_start is 'First second of the period. Unit: instant.';
comment on column throng.release.period_end is 'First second after the period. Unit: instant.';
comment on column throng.release.threshold is 'k: how many devices each number stands for at least. Unit: devices.';
comment on column throng.release.plan is 'SHA-256 of the plan in force. Unit: hexadecimal digits.';
comment on column throng.release.header is 'The release''s header, byte by byte as it went into the digest: JSON. Unit: none.';
comment on column throng.release.digest is 'SHA-256 over header and cells. Unit: 32 bytes.';
comment on column throng.release.released_at is 'When it was made. Unit: instant.';

create table throng.released_cell (
    release_id bigint not null,
    margin integer not null,
    cell integer not null,
    buckets text[] not null,
    count bigint not null,
    sums bigint[] not null,
    reach bigint,
    constraint released_cell_pkey primary key (release_id, margin, cell),
    constraint released_cell_release_fkey foreign key (release_id) references throng.release
);
comment on table throng.released_cell is 'Published cells; what is not here was withheld.';
comment on column throng.released_cell.release_id is 'The release that it belongs to. Unit: none.';
comment on column throng.released_cell.margin is 'Which dimensions are kept: bit i stands for dimension i. Unit: bit set.';
comment on column throng.released_cell.cell is 'The cell of that margin. Unit: none.';
comment on column throng.released_cell.buckets is 'One label per dimension of the layout; null is summed out. Unit: none.';
comment on column throng.released_cell.count is 'Unit: events.';
comment on column throng.released_cell.sums is 'One a sum of the layout. Unit: 10^-decimals of the sum''s unit.';
comment on column throng.released_cell.reach is 'Proved lower bound on devices; null where it is not published. Unit: devices.';

create table throng.decay (
    release_id bigint not null,
    dropped text not null,
    cells bigint not null,
    decayed_at timestamptz not null default now(),
    constraint decay_pkey primary key (release_id, dropped),
    constraint decay_release_fkey foreign key (release_id) references throng.release
);
comment on table throng.decay is 'What age took from a release; afterwards its cells no longer match its digest.';
comment on column throng.decay.release_id is 'The release. Unit: none.';
comment on column throng.decay.dropped is 'The dimension whose cells went; * is all of them. Unit: none.';
comment on column throng.decay.cells is 'How many cells went. Unit: cells.';
comment on column throng.decay.decayed_at is 'When. Unit: instant.';

create table throng.report_run (
    app text not null,
    report text not null,
    period_start timestamptz not null,
    period_end timestamptz not null,
    period_kind smallint not null,
    partner text not null,
    attempt integer not null default 1,
    started_at timestamptz not null,
    finished_at timestamptz,
    outcome text not null,
    detail text,
    constraint report_run_pkey primary key (app, report, period_start),
    constraint report_run_outcome_known check (outcome in ('running', 'delivered', 'failed')),
    constraint report_run_finished_when_over check ((outcome = 'running') = (finished_at is null))
);
comment on table throng.report_run is 'Scheduled runs of reports: one row a report and period, so that a run is made once.';
comment on column throng.report_run.app is 'Name of the app. Unit: none.';
comment on column throng.report_run.report is 'Name of the report. Unit: none.';
comment on column throng.report_run.period_start is 'First second of what it covers. Unit: instant.';
comment on column throng.report_run.period_end is 'First second after what it covers. Unit: instant.';
comment on column throng.report_run.period_kind is 'What it covers: 0 hour, 1 day, 2 week, 3 month. Unit: none.';
comment on column throng.report_run.partner is 'Who receives it. Unit: none.';
comment on column throng.report_run.attempt is 'Which try; only the last one may finish the run. Unit: tries, from 1.';
comment on column throng.report_run.started_at is 'When the last try began. Unit: instant.';
comment on column throng.report_run.finished_at is 'When it ended; null while it runs. Unit: instant.';
comment on column throng.report_run.outcome is 'running, delivered or failed. Unit: none.';
comment on column throng.report_run.detail is 'Why it failed, or where it went; no numbers. Unit: none.';
