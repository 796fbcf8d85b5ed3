select draw_id,
    stage,
    header
from throng.noise_draw
where app = $1
    and metric = $2
    and period_kind = $3::smallint
    and period_start = to_timestamp($4::bigint);
