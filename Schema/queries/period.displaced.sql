-- Which of a flush's periods no release of their noisy layout will show, and whether another layout's has them.
-- $1 metrics: integer[], one a period.
-- $2 starts: bigint[], Unix seconds; one a period.
-- Returns: metric, start (Unix seconds), whether it is taken.
select metric_id,
    extract(epoch from period_start)::bigint,
    is_taken
from throng.displaced_periods(
    $1::integer[],
    array(select to_timestamp(unix_seconds) from unnest($2::bigint[]) with ordinality as t (unix_seconds, place) order by place));
