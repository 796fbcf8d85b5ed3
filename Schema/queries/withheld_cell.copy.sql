-- Takes the reasons why cells of a release are withheld.
-- Returns: no rows; rows come in.
copy throng.withheld_cell
    (release_id, margin, cell, reason, floor, other_period_kind, other_period_start, other_margin, other_cell)
from stdin (format binary);
