-- Releases of a metric whose periods start within a stretch of time and that were made before the first one of another
-- period; those that age took whole are left out.
-- $1 app: text.
-- $2 metric: text, its name.
-- $3 kind: smallint, 0 hour, 1 day, 2 week, 3 month.
-- $4 from: bigint, Unix seconds; the earliest start.
-- $5 to: bigint, Unix seconds; later than the latest start.
-- $6 start: bigint, Unix seconds; of the other period.
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
    and r.period_start >= to_timestamp($4::bigint)
    and r.period_start < to_timestamp($5::bigint)
    and r.release_id < (
        select min(own.release_id)
        from throng.release as own
        where own.app = $1
            and own.metric = $2
            and own.period_kind = $3::smallint
            and own.period_start = to_timestamp($6::bigint)
    )
    and not exists (
        select
        from throng.decay as d
        where d.release_id = r.release_id
            and d.dropped = '*'
    )
order by r.period_start, r.release_id;
