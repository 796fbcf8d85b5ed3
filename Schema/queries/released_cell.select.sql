-- The cells of a release.
-- $1 release: bigint, the schema's number of a release.
-- Returns: margin, cell, count, sums (bigint[]), reach (devices), firsts, by margin and cell.
select margin,
    cell,
    count,
    sums,
    reach,
    firsts
from throng.released_cell
where release_id = $1::bigint
order by margin, cell;
