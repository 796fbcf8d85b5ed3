select margin,
    cell,
    count,
    sums,
    reach
from throng.released_cell
where release_id = $1::bigint
order by margin, cell;
