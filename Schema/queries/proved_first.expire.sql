-- Forgets tags of periods that began so long ago that they are over, of which nothing is to be released any more.
-- $1 before: bigint, Unix seconds; of periods that began before it.
-- Returns: no rows.
delete from throng.proved_first as known
where known.period_start < to_timestamp($1::bigint)
    and not exists (
        select
        from throng.open_period as open
        where open.metric_id = known.metric_id
            and open.period_start <= known.period_start
            and open.period_end > known.period_start
    )
    and not exists (
        select
        from throng.open_rollup as open
        where open.metric_id = known.metric_id
            and open.period_start <= known.period_start
            and open.period_end > known.period_start
    );
