-- Takes the cells of a release.
-- Returns: no rows; rows come in.
copy throng.released_cell (release_id, margin, cell, buckets, count, sums, reach, firsts)
from stdin (format binary);
