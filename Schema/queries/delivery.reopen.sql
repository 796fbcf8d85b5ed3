-- Deliveries of a run that are made again: those that were given up, and folders, where that does no harm.
-- $1 app: text.
-- $2 report: text.
-- $3 kind: smallint, 0 hour, 1 day, 2 week, 3 month.
-- $4 start: bigint, Unix seconds; the first second of the period.
-- $5 now: bigint, Unix seconds.
-- Returns: no rows.
update throng.delivery
set state = 'pending',
    attempts = 0,
    next_at = to_timestamp($5::bigint),
    leased_until = null,
    finished_at = null
where app = $1
    and report = $2
    and period_kind = $3::smallint
    and period_start = to_timestamp($4::bigint)
    and (state = 'failed' or state = 'sent' and target like 'folder %');
