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
