-- Which files of a delivery arrived.
-- $1 app: text.
-- $2 report: text.
-- $3 kind: smallint, 0 hour, 1 day, 2 week, 3 month.
-- $4 start: bigint, Unix seconds; the first second of the period.
-- $5 target: text, a folder or a method and an address.
-- Returns: place, from 0, of each.
select place
from throng.delivered_file
where app = $1
    and report = $2
    and period_kind = $3::smallint
    and period_start = to_timestamp($4::bigint)
    and target = $5;
