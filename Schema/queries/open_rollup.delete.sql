-- No row comes back where it was released or given up before.
delete from throng.open_rollup
where metric_id = $1::integer
    and period_kind = $2::smallint
    and period_start = to_timestamp($3::bigint)
returning metric_id;
