-- What a purpose has ever paid for in periods that touch a stretch of time.
-- $1 app: text.
-- $2 purpose: text.
-- $3 from: bigint, Unix seconds; its first second.
-- $4 to: bigint, Unix seconds; the first second after it.
-- Returns: metric, kind, start and end of the period (Unix seconds), mechanism, numerator and denominator of its
--     parameter, stage (0 reserved, 1 drawn, 2 published), digest (32 bytes).
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
