delete from throng.open_period
where metric_id = $1::integer
    and period_start = to_timestamp($2::bigint);
