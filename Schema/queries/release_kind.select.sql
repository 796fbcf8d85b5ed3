-- Whether a period is exact or noisy, and the layout whose noise is released.
-- $1 app: text.
-- $2 metric: text, its name.
-- $3 kind: smallint, 0 hour, 1 day, 2 week, 3 month.
-- $4 start: bigint, Unix seconds; the first second of the period.
-- Returns: kind (0 exact, 1 noisy), metric; no row where nobody has decided.
select kind,
    metric_id
from throng.release_kind
where app = $1
    and metric = $2
    and period_kind = $3::smallint
    and period_start = to_timestamp($4::bigint);
