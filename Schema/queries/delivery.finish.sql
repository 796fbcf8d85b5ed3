-- Ends a try. $7: pending (tried again at $9), sent or failed. $8: why not.
update throng.delivery
set state = $7,
    last_error = $8,
    next_at = to_timestamp($9::bigint),
    leased_until = null,
    finished_at = case when $7 = 'pending' then null else to_timestamp($10::bigint) end
where app = $1
    and report = $2
    and period_kind = $3::smallint
    and period_start = to_timestamp($4::bigint)
    and target = $5
    and attempts = $6::integer
    and state = 'pending';
