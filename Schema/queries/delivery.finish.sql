-- Ends a try. $6: pending (tried again at $8), sent or failed. $7: why not.
update throng.delivery
set state = $6,
    last_error = $7,
    next_at = to_timestamp($8::bigint),
    leased_until = null,
    finished_at = case when $6 = 'pending' then null else to_timestamp($9::bigint) end
where app = $1
    and report = $2
    and period_start = to_timestamp($3::bigint)
    and target = $4
    and attempts = $5::integer
    and state = 'pending';
