-- Why the cells of a release are withheld.
-- $1 release: bigint, the schema's number of a release.
-- Returns: margin, cell, reason (code), floor (devices), and of the other cell its kind, start (Unix seconds), margin and
--     cell, nulls where there is none; by margin and cell.
select margin,
    cell,
    reason,
    floor,
    other_period_kind,
    extract(epoch from other_period_start)::bigint,
    other_margin,
    other_cell
from throng.withheld_cell
where release_id = $1::bigint
order by margin, cell;
