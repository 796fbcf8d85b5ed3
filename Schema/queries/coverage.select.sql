-- What became of an app's events within a stretch of time.
-- $1 app: text.
-- $2 from: bigint, Unix seconds; the first hour.
-- $3 to: bigint, Unix seconds; the first hour after it.
-- Returns: kind, events.
select kind,
    sum(events)::bigint
from throng.coverage
where app = $1
    and hour >= to_timestamp($2::bigint)
    and hour < to_timestamp($3::bigint)
group by kind
order by kind;
