-- Deletes the distinct counts and largest contributions of an app's released periods for which no metric of the same
-- events, and no rollup of their own, is open any more.
-- $1 app: text.
-- Returns: no rows.
with done as (
    delete from throng.kept_period as kept
    using throng.metric_layout as own
    where own.metric_id = kept.metric_id
        and own.app = $1
        and not exists (
            select
            from throng.open_period as open
            join throng.metric_layout as layout using (metric_id)
            where layout.app = own.app
                and layout.metric = any (kept.waits_for)
                and open.period_start < kept.period_end
                and open.period_end > kept.period_start
        )
        and not exists (
            select
            from throng.open_rollup as open
            join throng.metric_layout as layout using (metric_id)
            where layout.app = own.app
                and (open.metric_id = kept.metric_id or layout.metric = any (kept.waits_for))
                and open.period_start < kept.period_end
                and open.period_end > kept.period_start
        )
    returning kept.metric_id,
        kept.period_kind,
        kept.period_start
),
gone as (
    delete from throng.distinct_count as known
    using done
    where known.shard = any (array(select member.shard from throng.member))
        and known.metric_id = done.metric_id
        and known.period_kind = done.period_kind
        and known.period_start = done.period_start
)
delete from throng.top_contribution as known
using done
where known.metric_id = done.metric_id
    and known.period_start = done.period_start;
