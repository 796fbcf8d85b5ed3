-- Keeps a try alive; touches nothing where another process has taken it over.
update throng.delivery
set leased_until = to_timestamp($7::bigint) + make_interval(secs => $8::bigint)
where app = $1
    and report = $2
    and period_kind = $3::smallint
    and period_start = to_timestamp($4::bigint)
    and target = $5
    and attempts = $6::integer
    and state = 'pending';
