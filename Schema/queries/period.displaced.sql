-- Which of a flush's periods no release of their noisy layout will show, and whether another layout's has them.
select metric_id,
    extract(epoch from period_start)::bigint,
    is_taken
from throng.displaced_periods(
    $1::integer[],
    array(select to_timestamp(unix_seconds) from unnest($2::bigint[]) with ordinality as t (unix_seconds, place) order by place));
