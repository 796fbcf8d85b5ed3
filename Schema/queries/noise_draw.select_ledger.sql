-- What a purpose has ever paid for in periods that touch [$3, $4).
select metric,
    period_kind,
    extract(epoch from period_start)::bigint,
    extract(epoch from period_end)::bigint,
    mechanism,
    parameter_numerator::text,
    parameter_denominator::text,
    stage,
    digest
from throng.noise_draw
where app = $1
    and purpose = $2
    and period_start < to_timestamp($4::bigint)
    and period_end > to_timestamp($3::bigint);
