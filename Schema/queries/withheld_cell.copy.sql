-- Takes the reasons why cells of a release are withheld.
-- Returns: no rows; rows come in.
copy throng.withheld_cell
    (release_id, margin, cell, reason, floor)
from stdin (format binary);
