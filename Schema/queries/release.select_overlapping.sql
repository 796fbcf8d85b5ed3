-- What was released of an app within or around a stretch of time, with whether age has taken anything of it.
-- $1 app: text.
-- $2 from: bigint, Unix seconds; its first second.
-- $3 to: bigint, Unix seconds; the first second after it.
-- Returns: release, metric, header (JSON), digest (32 bytes), whether age took something.
select r.release_id,
    r.metric_id,
    r.header,
    r.digest,
    exists (
        select
        from throng.decay as d
        where d.release_id = r.release_id
            and d.cells > 0
    )
from throng.release as r
where r.app = $1
    and r.period_start < to_timestamp($3::bigint)
    and r.period_end > to_timestamp($2::bigint)
order by r.metric_id, r.period_kind, r.period_start;
