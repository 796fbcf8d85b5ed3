-- Keeps a try alive; touches nothing where another process has taken it over.
update throng.delivery
set leased_until = to_timestamp($6::bigint) + make_interval(secs => $7::bigint)
where app = $1
    and report = $2
    and period_start = to_timestamp($3::bigint)
    and target = $4
    and attempts = $5::integer
    and state = 'pending';
