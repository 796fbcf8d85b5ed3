-- Deletes a metric's numbers of devices of released periods about which nothing is to be decided any more: no rollup that holds them
-- is open, and no metric of the same events waits for them.
-- $1 metric: integer, the schema's number of a layout.
-- Returns: no rows.
delete from throng.proved_count as known
where known.metric_id = $1::integer
    and not exists (
        select
        from throng.open_rollup as open
        where open.metric_id = known.metric_id
            and open.period_start < known.period_end
            and open.period_end > known.period_start
    )
    and not exists (
        select
        from throng.kept_period as kept
        where kept.metric_id = known.metric_id
            and kept.period_start < known.period_end
            and kept.period_end > known.period_start
    );
