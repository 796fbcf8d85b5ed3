-- Deletes labels that were retired so long ago that nothing is released any more that was counted under them.
-- $1 app: text.
-- $2 before: bigint, Unix seconds; the latest retirement of what goes.
-- Returns: a row without a value for each dimension of which something went.
with gone as (
    delete from throng.revealed_label as known
    where known.app = $1
        and known.retired_at < to_timestamp($2::bigint)
        and not exists (
            select from throng.open_period as open
            join throng.metric_layout as layout using (metric_id)
            where layout.app = known.app
                and open.period_start < known.retired_at + interval '2 days'
        )
        and not exists (
            select from throng.open_rollup as open
            join throng.metric_layout as layout using (metric_id)
            where layout.app = known.app
                and open.period_start < known.retired_at + interval '2 days'
        )
    returning known.dimension
)
select throng.note_deletion(
    $1, 'labels', dimension, 'nothing published for as long as numbers are kept, and 100 days', null, null, count(*))
from gone
group by dimension;
