select measure,
    margin,
    cell,
    value
from throng.noise_cell
where draw_id = $1::bigint
order by measure, margin, cell;
