-- An app can be deleted for good, whatever age would have taken of it later. What stays is that it was deleted: entries of the
-- ledger of deletions, by the name of the app. Only the owner of the schema can do it, and nobody else can be granted it by
-- mistake: no role of a daemon may execute the function.

alter table throng.deletion
    drop constraint deletion_kind_known,
    add constraint deletion_kind_known
        check (kind in ('numbers', 'counters', 'files', 'copies', 'coverage', 'labels', 'records'));
comment on column throng.deletion.kind is 'numbers (released), counters (raw), files (of reports, here), copies (of reports, in folders), coverage, labels, or records (what is kept about an app: layouts, promises, runs and the like). Unit: none.';

-- Values go once they are published, and change never; and with their app.
create or replace function throng.noise_cells_stay() returns trigger
language plpgsql
set search_path = ''
as $$
begin
    -- Only throng.delete_app sets this while it deletes them, and only the owner of the tables may delete others.
    if pg_catalog.current_setting('throng.retention', true) = 'on' then
        return null;
    end if;
    if exists (
        select
        from (select distinct draw_id from gone) as touched
        join throng.noise_draw as draw using (draw_id)
        where draw.stage <> 2
    ) then
        raise exception 'drawn values stay until they are published: they are never drawn again'
            using errcode = 'object_not_in_prerequisite_state';
    end if;
    return null;
end
$$;

-- Deletes all that is kept of an app, and notes it. Returns how many rows of each kind went; none where nothing is known of it.
--
-- No daemon may count for the app meanwhile: a flush would bring its counters back.
create function throng.delete_app(wanted_app text, copies bigint) returns table (gone_kind text, gone_rows bigint)
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
revoke all on function throng.delete_app(text, bigint) from public;

comment on table throng.metric_layout is 'How each metric is laid out in counters. A change of a metric makes a new row; rows go only with their app.';
comment on table throng.layout_terms is 'What each plan asked of a layout''s releases, one row for each time that it asked something else. Rows go only with their app.';
comment on table throng.layout_promise is 'What each plan promised of how long a layout''s numbers are kept, one row for each time that it promised something else. Rows go only with their app.';
comment on table throng.noise_budget is 'What the noisy releases of a purpose may cost and have cost, by slot of time. Locked by row while a release is reserved. Rows go only with their app: a budget that is forgotten is spent twice.';
comment on table throng.noise_draw is 'Noise of one metric and period: paid, drawn once, published as drawn. Rows only move forward, and go only with their app.';
comment on table throng.deletion is 'What age took, and what went with an app that was deleted: when, of what, by which promise, and how many rows. Each row''s digest covers the one before; nothing changes or goes.';
comment on column throng.deletion.subject is 'The metric, table, report or dimension; everything where the app was deleted. Unit: none.';
comment on column throng.deletion.term is 'By which promise: after how many seconds, and what goes then; or that the app was deleted. Unit: none.';
comment on column throng.deletion.rows is 'How much went: cells, counters, files, hours, labels or records. Unit: rows.';
