-- Releases that nobody can take apart: coarser periods over finer ones, and why a number stayed in the house.


-- A metric of days may be released by weeks too: a period's kind is part of what is released once --------------------

alter table throng.release drop constraint release_once;
alter table throng.release add constraint release_once unique (metric_id, period_kind, period_start);

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
comment on column throng.open_rollup.metric_id is 'The layout. Unit: none.';
comment on column throng.open_rollup.period_kind is 'What it will cover: 0 hour, 1 day, 2 week, 3 month. Unit: none.';
comment on column throng.open_rollup.period_start is 'First second of the period. Unit: instant.';
comment on column throng.open_rollup.period_end is 'First second after the period. Unit: instant.';
grant select, insert, delete on throng.open_rollup to throng_reporter;


-- Why numbers stayed -------------------------------------------------------------------------------------------------

create table throng.withheld_cell (
    release_id bigint not null,
    margin integer not null,
    cell integer not null,
    reason smallint not null,
    floor bigint,
    other_period_kind smallint,
    other_period_start timestamptz,
    other_margin integer,
    other_cell integer,
    constraint withheld_cell_pkey primary key (release_id, margin, cell),
    constraint withheld_cell_release_fkey foreign key (release_id) references throng.release,
    constraint withheld_cell_reason_known check (reason between 0 and 7),
    constraint withheld_cell_floor_where_small check ((reason = 0) = (floor is not null)),
    constraint withheld_cell_other_whole check (
        num_nulls(other_period_kind, other_period_start, other_margin, other_cell) in (0, 4)
    )
);
comment on table throng.withheld_cell is 'Why occupied cells were withheld, for operators. It tells small cells from empty ones, so nobody else may see it, and it goes with the raw counters.';
comment on column throng.withheld_cell.release_id is 'The release that it is missing from. Unit: none.';
comment on column throng.withheld_cell.margin is 'Which dimensions are kept: bit i stands for dimension i. Unit: bit set.';
comment on column throng.withheld_cell.cell is 'The cell of that margin. Unit: none.';
comment on column throng.withheld_cell.reason is '0 small, 1 dominated sum, 2 reveals another, 3 bounds another, 4 leaves a small rest, 5 relates single devices, 6 reveals devices, 7 coarsened. Unit: none.';
comment on column throng.withheld_cell.floor is 'Where it is small: what is proved. Unit: devices.';
comment on column throng.withheld_cell.other_period_kind is 'Period of the cell that it is withheld for. Unit: none.';
comment on column throng.withheld_cell.other_period_start is 'Period of the cell that it is withheld for. Unit: instant.';
comment on column throng.withheld_cell.other_margin is 'Margin of the cell that it is withheld for. Unit: bit set.';
comment on column throng.withheld_cell.other_cell is 'The cell that it is withheld for. Unit: none.';
grant select, insert, delete on throng.withheld_cell to throng_reporter;


-- Counters of a rollup's parts stay until it is released -------------------------------------------------------------

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
    for found in
        select known.*,
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
    -- Reasons tell small cells from empty ones: they don't outlive the counters that tell the same.
    delete from throng.withheld_cell as known
    using throng.release
    where release.release_id = known.release_id
        and release.period_end < counters_before;
end
$$;
