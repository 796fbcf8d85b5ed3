-- The draw of one noisy period.
-- $1 app: text.
-- $2 metric: text, its name.
-- $3 kind: smallint, 0 hour, 1 day, 2 week, 3 month.
-- $4 start: bigint, Unix seconds; the first second of the period.
-- Returns: draw, header (JSON); no row where nothing was reserved.
select draw_id,
    header
from throng.noise_draw
where app = $1
    and metric = $2
    and period_kind = $3::smallint
    and period_start = to_timestamp($4::bigint);
