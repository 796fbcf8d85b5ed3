-- Opens a rollup with the first of its parts that is released. Where one was released before, the plan did not ask for the rollup then:
-- what it would have to be decided on went with that part.
-- $1 metric: integer, the schema's number of a layout.
-- $2 kind: smallint, 0 hour, 1 day, 2 week, 3 month.
-- $3 start: bigint, Unix seconds; the first second of the period.
-- $4 end: bigint, Unix seconds; the first second after the period.
-- Returns: no rows.
insert into throng.open_rollup (metric_id, period_kind, period_start, period_end)
select $1::integer, $2::smallint, to_timestamp($3::bigint), to_timestamp($4::bigint)
where not exists (
    select
    from throng.release
    where metric_id = $1::integer
        and period_start >= to_timestamp($3::bigint)
        and period_end <= to_timestamp($4::bigint)
)
on conflict (metric_id, period_kind, period_start) do nothing;
