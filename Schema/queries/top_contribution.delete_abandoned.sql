-- What belongs to no period that can still be released.
delete from throng.top_contribution as known
where not exists (
    select
    from throng.open_period as open
    where open.metric_id = known.metric_id
        and open.period_start = known.period_start
);
