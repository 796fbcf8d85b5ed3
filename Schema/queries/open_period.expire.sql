-- Gives up what nobody has released: numbers that were never published are kept no longer than those that were.
-- $1 metric: integer, the schema's number of a layout.
-- $2 before: bigint, Unix seconds; the latest end of what goes.
-- $3 began: bigint, Unix seconds; what goes began before it. Null takes all.
-- Returns: no rows.
with periods as (
    delete from throng.open_period
    where metric_id = $1::integer
        and period_end <= to_timestamp($2::bigint)
        and period_start < coalesce(to_timestamp($3::bigint), 'infinity')
)
delete from throng.open_rollup
where metric_id = $1::integer
    and period_end <= to_timestamp($2::bigint)
    and period_start < coalesce(to_timestamp($3::bigint), 'infinity');
