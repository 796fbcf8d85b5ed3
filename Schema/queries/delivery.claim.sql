-- Begins a try of one delivery that is due and that nobody is at.
-- $1 app: text.
-- $2 report: text; null takes any run of the app.
-- $3 kind: smallint, 0 hour, 1 day, 2 week, 3 month; null takes any.
-- $4 start: bigint, Unix seconds; the first second of the period, null takes any.
-- $5 now: bigint, Unix seconds.
-- $6 lease: bigint, seconds; how long the try may take.
-- $7 folders: boolean, whether folders only.
-- Returns: report, kind and start (Unix seconds) of the period, target, secret's name, idempotency key (32 bytes),
--     tries, the run's partner; no row where nothing is due.
update throng.delivery as d
set attempts = d.attempts + 1,
    leased_until = to_timestamp($5::bigint) + make_interval(secs => $6::bigint)
from (
    select app, report, period_kind, period_start, target
    from throng.delivery
    where app = $1
        and ($2::text is null or report = $2)
        and ($3::smallint is null or period_kind = $3::smallint)
        and ($4::bigint is null or period_start = to_timestamp($4::bigint))
        and state = 'pending'
        and next_at <= to_timestamp($5::bigint)
        and (leased_until is null or leased_until <= to_timestamp($5::bigint))
        and (not $7::boolean or target like 'folder %')
    order by next_at, report, period_start, period_kind, target
    limit 1
    for update skip locked
) as due
where d.app = due.app
    and d.report = due.report
    and d.period_kind = due.period_kind
    and d.period_start = due.period_start
    and d.target = due.target
returning d.report,
    d.period_kind,
    extract(epoch from d.period_start)::bigint,
    d.target,
    d.authorization_name,
    d.idempotency_key,
    d.attempts,
    (
        select run.partner
        from throng.report_run as run
        where run.app = d.app
            and run.report = d.report
            and run.period_kind = d.period_kind
            and run.period_start = d.period_start
    );
