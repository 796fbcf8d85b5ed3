-- Ends a try; touches nothing where another process has taken it over.
-- $1 app: text.
-- $2 report: text.
-- $3 kind: smallint, 0 hour, 1 day, 2 week, 3 month.
-- $4 start: bigint, Unix seconds; the first second of the period.
-- $5 target: text, a folder or a method and an address.
-- $6 attempt: integer, tries from 1; the one that was claimed.
-- $7 state: text, pending, sent or failed.
-- $8 error: text, why not everything arrived; null where it did.
-- $9 retry: bigint, Unix seconds; when a pending one is tried again.
-- $10 now: bigint, Unix seconds.
-- Returns: no rows; one is touched where the try is still this process's.
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
