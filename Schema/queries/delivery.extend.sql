-- Keeps a try alive; touches nothing where another process has taken it over.
-- $1 app: text.
-- $2 report: text.
-- $3 kind: smallint, 0 hour, 1 day, 2 week, 3 month.
-- $4 start: bigint, Unix seconds; the first second of the period.
-- $5 target: text, a folder or a method and an address.
-- $6 attempt: integer, tries from 1; the one that was claimed.
-- $7 now: bigint, Unix seconds.
-- $8 lease: bigint, seconds; how long the try may take.
-- Returns: no rows; one is touched where the try is still this process's.
update throng.delivery
set leased_until = to_timestamp($7::bigint) + make_interval(secs => $8::bigint)
where app = $1
    and report = $2
    and period_kind = $3::smallint
    and period_start = to_timestamp($4::bigint)
    and target = $5
    and attempts = $6::integer
    and state = 'pending';
