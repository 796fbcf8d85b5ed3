-- The last releases of all apps, the latest first.
-- $1 most: bigint, releases.
-- Returns: app, metric, kind, start and end of the period, when it was made (Unix seconds).
select app,
    metric,
    period_kind,
    extract(epoch from period_start)::bigint,
    extract(epoch from period_end)::bigint,
    extract(epoch from released_at)::bigint
from throng.release
order by released_at desc, release_id desc
limit $1::bigint;
