-- Their one purpose was the dominance rule of this release.
delete from throng.top_contribution
where shard = 0
    and metric_id = $1::integer
    and period_start = to_timestamp($2::bigint);
