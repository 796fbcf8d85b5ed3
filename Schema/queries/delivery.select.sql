-- How the deliveries of a run stand, by target.
-- $1 app: text.
-- $2 report: text.
-- $3 kind: smallint, 0 hour, 1 day, 2 week, 3 month.
-- $4 start: bigint, Unix seconds; the first second of the period.
-- Returns: target, state, tries, when it is tried next (Unix seconds), last error, when it was over (Unix seconds),
--     idempotency key (32 bytes), files that arrived.
select d.target,
    d.state,
    d.attempts,
    extract(epoch from d.next_at)::bigint,
    d.last_error,
    extract(epoch from d.finished_at)::bigint,
    d.idempotency_key,
    (
        select count(*)
        from throng.delivered_file as f
        where f.app = d.app
            and f.report = d.report
            and f.period_kind = d.period_kind
            and f.period_start = d.period_start
            and f.target = d.target
    )
from throng.delivery as d
where d.app = $1
    and d.report = $2
    and d.period_kind = $3::smallint
    and d.period_start = to_timestamp($4::bigint)
order by d.target;
