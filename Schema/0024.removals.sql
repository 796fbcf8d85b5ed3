-- What somebody took back leaves nothing: where a removal has brought counters, distinct counts or largest contributions of a period
-- to 0, their rows go, which would say that somebody had been there. It can delete nothing else.

create function throng.prune(metrics integer[], starts timestamptz[]) returns void
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
        and known.largest = 0;
end
$$;
revoke all on function throng.prune(integer[], timestamptz[]) from public;
grant execute on function throng.prune(integer[], timestamptz[]) to throng_ingest;
