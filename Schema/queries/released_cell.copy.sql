copy throng.released_cell (release_id, margin, cell, buckets, count, sums, reach)
from stdin (format binary);
