copy throng.noise_cell (draw_id, margin, cell, measure, value)
from stdin (format binary);
