-- Whether another coarser period still needs the counters of these parts.
select exists (
    select
    from throng.open_rollup as open
    where open.metric_id = $1::integer
        and open.period_start < to_timestamp($3::bigint)
        and open.period_end > to_timestamp($2::bigint)
);
