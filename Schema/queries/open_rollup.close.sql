-- Takes an open rollup away for its release, where none of its parts is open.
-- $1 metric: integer, the schema's number of a layout.
-- $2 kind: smallint, 0 hour, 1 day, 2 week, 3 month.
-- $3 start: bigint, Unix seconds; the first second of the period.
-- Returns: metric; no row where it was released or given up before, or a flush opened a part.
delete from throng.open_rollup as open
where open.metric_id = $1::integer
    and open.period_kind = $2::smallint
    and open.period_start = to_timestamp($3::bigint)
    and not exists (
        select
        from throng.open_period as part
        where part.metric_id = open.metric_id
            and part.period_start >= open.period_start
            and part.period_start < open.period_end
    )
returning open.metric_id;
