-- Takes a run that nobody has made: new, failed with tries left, or abandoned by a process that died. A try that ended
-- so left no file and no delivery, so that the run is for whom the plan in force gives it to.
-- $1 app: text.
-- $2 report: text.
-- $3 partner: text.
-- $4 kind: smallint, 0 hour, 1 day, 2 week, 3 month.
-- $5 start: bigint, Unix seconds; the first second of the period.
-- $6 end: bigint, Unix seconds; the first second after the period.
-- $7 now: bigint, Unix seconds.
-- $8 lease: bigint, seconds; how long a run may take.
-- $9 tries: integer, how many it gets.
-- Returns: attempt, from 1; no row where there is nothing to take.
insert into throng.report_run as known
    (app, report, partner, period_kind, period_start, period_end, started_at, outcome)
values (
    $1,
    $2,
    $3,
    $4::smallint,
    to_timestamp($5::bigint),
    to_timestamp($6::bigint),
    to_timestamp($7::bigint),
    'running')
on conflict (app, report, period_kind, period_start) do update
set attempt = known.attempt + 1,
    partner = excluded.partner,
    period_end = excluded.period_end,
    started_at = excluded.started_at,
    finished_at = null,
    outcome = 'running',
    detail = null
where known.attempt < $9::integer
    and (
        known.outcome = 'failed'
        or known.outcome = 'running'
        and known.started_at <= excluded.started_at - make_interval(secs => $8::bigint)
    )
returning attempt;
