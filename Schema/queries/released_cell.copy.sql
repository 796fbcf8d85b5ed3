-- Takes the cells of a release.
-- Returns: no rows; rows come in.
copy throng.released_cell
    (release_id, margin, cell, buckets, count, sums, reach, firsts, count_margin, sum_margins, reach_margin)
from stdin (format binary);
