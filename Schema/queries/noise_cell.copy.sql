-- Takes the numbers of a draw.
-- Returns: no rows; rows come in.
copy throng.noise_cell (draw_id, margin, cell, measure, value)
from stdin (format binary);
