-- The last releases of a metric up to an instant, the latest first; those that age took whole are left out.
-- $1 app: text.
-- $2 metric: text, its name.
-- $3 kind: smallint, 0 hour, 1 day, 2 week, 3 month.
-- $4 last: bigint, Unix seconds; the latest start.
-- $5 most: bigint, releases.
-- Returns: release, header (JSON), digest (32 bytes), dimensions that age took (separated by commas), by start.
select r.release_id,
    r.header,
    r.digest,
    -- Names hold no comma.
    array_to_string(array(
        select d.dropped
        from throng.decay as d
        where d.release_id = r.release_id
            and d.cells > 0
        order by d.dropped
    ), ',') as dropped
from throng.release as r
where r.app = $1
    and r.metric = $2
    and r.period_kind = $3::smallint
    and r.period_start <= to_timestamp($4::bigint)
    and not exists (
        select
        from throng.decay as d
        where d.release_id = r.release_id
            and d.dropped = '*'
    )
order by r.period_start desc, r.release_id desc
limit $5::bigint;
