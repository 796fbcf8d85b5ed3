-- Firsts that devices prove: that somebody is in a cell of a metric in a period, once. A tag is a hash of a point that is another one
-- in each cell and period, by which nobody can tell whose it is; it is there so that none counts twice, and goes with the release of
-- its period. What stays as long as distinct counts do is how many there were.

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
comment on column throng.proved_first.metric_id is 'The layout that gives the cell its meaning. Unit: none.';
comment on column throng.proved_first.period_kind is 'Which length of time: 0 hour, 1 day, 2 week, 3 month. Unit: none.';
comment on column throng.proved_first.period_start is 'First second of the period. Unit: instant.';
comment on column throng.proved_first.margin is 'Which dimensions are kept: bit i stands for dimension i. Unit: bit set.';
comment on column throng.proved_first.cell is 'The cell of that margin. Unit: none.';
comment on column throng.proved_first.tag is 'Half of the SHA-256 of a credential''s tag in that cell and period. Unit: 16 bytes.';

create table throng.proved_count (
    metric_id integer not null,
    period_kind smallint not null,
    period_start timestamptz not null,
    period_end timestamptz not null,
    margin integer not null,
    cell integer not null,
    devices bigint not null,
    constraint proved_count_pkey primary key (metric_id, period_kind, period_start, margin, cell),
    constraint proved_count_layout foreign key (metric_id) references throng.metric_layout on delete cascade,
    constraint proved_count_period_kind_known check (period_kind between 0 and 3)
);
comment on table throng.proved_count is 'How many devices proved to be in a cell in a period that was released. Kept while something is to be decided that holds the period.';
comment on column throng.proved_count.metric_id is 'The layout that gives the cell its meaning. Unit: none.';
comment on column throng.proved_count.period_kind is 'Which length of time: 0 hour, 1 day, 2 week, 3 month. Unit: none.';
comment on column throng.proved_count.period_start is 'First second of the period. Unit: instant.';
comment on column throng.proved_count.period_end is 'First second after the period. Unit: instant.';
comment on column throng.proved_count.margin is 'Which dimensions are kept: bit i stands for dimension i. Unit: bit set.';
comment on column throng.proved_count.cell is 'The cell of that margin. Unit: none.';
comment on column throng.proved_count.devices is 'Unit: devices.';

grant select, insert on throng.proved_first to throng_ingest;
grant select, delete on throng.proved_first to throng_reporter;
grant select, insert, update, delete on throng.proved_count to throng_reporter;

-- As before; what was proved goes, too.
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
