-- When the first period begins that had been released of a metric when another one of its periods was.
-- $1 app: text.
-- $2 metric: text, its name.
-- $3 kind: smallint, 0 hour, 1 day, 2 week, 3 month.
-- $4 start: bigint, Unix seconds; of the other one.
-- Returns: one row, an instant (Unix seconds) or null.
select extract(epoch from min(r.period_start))::bigint
from throng.release as r
where r.app = $1
    and r.metric = $2
    and r.period_kind = $3::smallint
    and r.release_id <= (
        select min(own.release_id)
        from throng.release as own
        where own.app = $1
            and own.metric = $2
            and own.period_kind = $3::smallint
            and own.period_start = to_timestamp($4::bigint)
    );
