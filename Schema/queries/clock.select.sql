-- What PostgreSQL's clock says, and what was believed last; nulls where nothing was yet.
-- Returns: one row: PostgreSQL's time and what was believed (Unix seconds), the machine's start, its uptime (seconds),
--     confirmations.
select extract(epoch from clock_timestamp())::bigint,
    extract(epoch from known.believed_at)::bigint,
    known.machine,
    known.uptime,
    known.confirmations
from (select true as one) as this
left join throng.clock as known using (one);
