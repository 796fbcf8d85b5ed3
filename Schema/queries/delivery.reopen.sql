-- Deliveries of a run that are made again: those that were given up, and folders, where that does no harm.
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
