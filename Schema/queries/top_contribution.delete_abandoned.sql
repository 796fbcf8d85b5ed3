-- Deletes what belongs to no period that can still be released, alone, in a rollup, or with metrics of the same events.
-- Returns: no rows.
delete from throng.top_contribution as known
where not exists (
    select
    from throng.open_period as open
    where open.metric_id = known.metric_id
        and open.period_start = known.period_start
)
and not exists (
    select
    from throng.open_rollup as open
    where open.metric_id = known.metric_id
        and open.period_start <= known.period_start
        and open.period_end > known.period_start
)
and not exists (
    select
    from throng.kept_period as kept
    where kept.metric_id = known.metric_id
        and kept.period_start = known.period_start
);
