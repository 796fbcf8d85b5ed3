-- A pair of largest contributions that are both 0 says that nobody was there only where nobody is left: devices that add nothing have
-- such a pair, too, and without it nothing would be known of what they add, and a release would withhold their cell. So a removal
-- takes the pair of a tracked cell and window only with the last device in it.

create or replace function throng.prune(metrics integer[], starts timestamptz[]) returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    delete from throng.counter as known
    using unnest(metrics, starts) as touched (metric_id, period_start)
    where known.shard = 0
        and known.metric_id = touched.metric_id
        and known.period_start = touched.period_start
        and known.value = 0;
    delete from throng.distinct_count as known
    using unnest(metrics, starts) as touched (metric_id, period_start)
    where known.shard = 0
        and known.metric_id = touched.metric_id
        and known.period_start = touched.period_start
        and known.devices = 0;
    delete from throng.top_contribution as known
    using unnest(metrics, starts) as touched (metric_id, period_start)
    where known.shard = 0
        and known.metric_id = touched.metric_id
        and known.period_start = touched.period_start
        and known.largest = 0
        and not exists (
            select
            from throng.distinct_count as left_over
            where left_over.shard = 0
                and left_over.metric_id = known.metric_id
                and left_over.period_start = known.period_start
                and left_over.margin = known.margin
                and left_over.cell = known.cell
                and left_over.window_number = known.window_number
        );
end
$$;

-- An hour of which nothing is left would say that somebody was there.
create function throng.prune_coverage(app_name text) returns void
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
    delete from throng.coverage where app = app_name and events = 0;
$$;
revoke all on function throng.prune_coverage(text) from public;
grant execute on function throng.prune_coverage(text) to throng_ingest;
