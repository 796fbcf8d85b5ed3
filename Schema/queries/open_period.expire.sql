-- Gives up what nobody has released: numbers that were never published are kept no longer than those that were.
-- $1 metric: integer, the schema's number of a layout.
-- $2 before: bigint, Unix seconds; the latest end of what goes.
-- Returns: no rows.
with periods as (
    delete from throng.open_period
    where metric_id = $1::integer
        and period_end <= to_timestamp($2::bigint)
),
rollups as (
    delete from throng.open_rollup
    where metric_id = $1::integer
        and period_end <= to_timestamp($2::bigint)
)
delete from throng.kept_period
where metric_id = $1::integer
    and period_end <= to_timestamp($2::bigint);
