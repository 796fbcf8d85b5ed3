-- When the periods of a kind start of which a report was made, from an instant on.
-- $1 app: text.
-- $2 report: text.
-- $3 kind: smallint, 0 hour, 1 day, 2 week, 3 month.
-- $4 from: bigint, Unix seconds; the earliest start.
-- Returns: start (Unix seconds).
select extract(epoch from period_start)::bigint
from throng.report_run
where app = $1
    and report = $2
    and period_kind = $3::smallint
    and period_start >= to_timestamp($4::bigint)
    and outcome in ('made', 'delivered', 'undelivered');
