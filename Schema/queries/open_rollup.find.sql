-- Whether another coarser period still needs the counters of these parts.
-- $1 metric: integer, the schema's number of a layout.
-- $2 from: bigint, Unix seconds; where the parts begin.
-- $3 to: bigint, Unix seconds; where they end.
-- Returns: one row, yes or no.
select exists (
    select
    from throng.open_rollup as open
    where open.metric_id = $1::integer
        and open.period_start < to_timestamp($3::bigint)
        and open.period_end > to_timestamp($2::bigint)
);
