-- Counts the devices that proved to be in a period's cells, and forgets their tags.
-- $1 metric: integer, the schema's number of a layout.
-- $2 kind: smallint, 0 hour, 1 day, 2 week, 3 month.
-- $3 start: bigint, Unix seconds; the first second of the period.
-- $4 end: bigint, Unix seconds; the first second after the period.
-- Returns: no rows.
with gone as (
    delete from throng.proved_first
    where metric_id = $1::integer
        and period_kind = $2::smallint
        and period_start = to_timestamp($3::bigint)
    returning margin,
        cell
)
insert into throng.proved_count as known
    (metric_id, period_kind, period_start, period_end, margin, cell, devices)
select $1::integer,
    $2::smallint,
    to_timestamp($3::bigint),
    to_timestamp($4::bigint),
    margin,
    cell,
    count(*)
from gone
group by margin, cell
on conflict (metric_id, period_kind, period_start, margin, cell) do update
set devices = known.devices + excluded.devices;
