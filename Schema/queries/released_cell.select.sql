select margin,
    cell,
    count,
    sums,
    reach,
    firsts
from throng.released_cell
where release_id = $1::bigint
order by margin, cell;
