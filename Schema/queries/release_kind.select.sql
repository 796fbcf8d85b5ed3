-- Whether a period is exact or noisy, and the layout whose noise is released; no row where nobody has decided.
select kind,
    metric_id
from throng.release_kind
where app = $1
    and metric = $2
    and period_kind = $3::smallint
    and period_start = to_timestamp($4::bigint);
