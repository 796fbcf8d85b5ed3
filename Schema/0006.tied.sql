-- Metrics that count the same events are decided one after the other, each against what the others published. So the
-- distinct counts of a released period stay until no such metric has an open period over the same time.

create table throng.kept_period (
    metric_id integer not null,
    period_kind smallint not null,
    period_start timestamptz not null,
    period_end timestamptz not null,
    waits_for text[] not null,
    constraint kept_period_pkey primary key (metric_id, period_start),
    constraint kept_period_metric_fkey foreign key (metric_id) references throng.metric_layout,
    constraint kept_period_period_kind_known check (period_kind between 0 and 3)
);
comment on table throng.kept_period is 'Released periods whose counters and distinct counts wait for the releases of metrics that count the same events.';
comment on column throng.kept_period.metric_id is 'The layout. Unit: none.';
comment on column throng.kept_period.period_kind is 'What it covers: 0 hour, 1 day, 2 week, 3 month. Unit: none.';
comment on column throng.kept_period.period_start is 'First second of the period. Unit: instant.';
comment on column throng.kept_period.period_end is 'First second after the period. Unit: instant.';
comment on column throng.kept_period.waits_for is 'The metrics of the same app that count some of the same events. Unit: none.';
grant select, insert, delete on throng.kept_period to throng_reporter;

alter table throng.withheld_cell drop constraint withheld_cell_reason_known;
alter table throng.withheld_cell add constraint withheld_cell_reason_known check (reason between 0 and 8);
comment on column throng.withheld_cell.reason is '0 small, 1 dominated sum, 2 reveals another, 3 bounds another, 4 leaves a small rest, 5 relates single devices, 6 reveals devices, 7 coarsened, 8 reveals a cell with what metrics of the same events published. Unit: none.';

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
