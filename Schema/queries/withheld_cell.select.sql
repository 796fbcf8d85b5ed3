select reason,
    floor,
    other_period_kind,
    extract(epoch from other_period_start)::bigint,
    other_margin,
    other_cell
from throng.withheld_cell
where release_id = (
    select r.release_id
    from throng.release as r
    where r.metric_id = $1::integer
        and r.period_kind = $2::smallint
        and r.period_start = to_timestamp($3::bigint)
)
    and margin = $4::integer
    and cell = $5::integer;
