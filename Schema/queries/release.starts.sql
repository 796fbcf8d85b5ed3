-- When the periods of a kind start of which an app has releases.
-- $1 app: text.
-- $2 kind: smallint, 0 hour, 1 day, 2 week, 3 month.
-- $3 from: bigint, Unix seconds; the earliest start.
-- Returns: start (Unix seconds).
select distinct extract(epoch from period_start)::bigint
from throng.release
where app = $1
    and period_kind = $2::smallint
    and period_start >= to_timestamp($3::bigint);
