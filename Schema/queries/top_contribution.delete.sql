-- Deletes the largest contributions of a period: their one purpose was the dominance rule of its release.
-- $1 metric: integer, the schema's number of a layout.
-- $2 start: bigint, Unix seconds; the first second of the period.
-- Returns: no rows.
delete from throng.top_contribution
where shard = any (array(select member.shard from throng.member))
    and metric_id = $1::integer
    and period_start = to_timestamp($2::bigint);
