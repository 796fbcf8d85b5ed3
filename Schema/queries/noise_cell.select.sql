-- The numbers of a draw.
-- $1 draw: bigint, the schema's number of a draw.
-- Returns: measure, value, by measure, margin and cell.
select measure,
    value
from throng.noise_cell
where draw_id = $1::bigint
order by measure, margin, cell;
