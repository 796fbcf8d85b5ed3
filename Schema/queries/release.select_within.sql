-- What was released about the parts of a period, with whether age has taken anything of it.
-- $1 metric: integer, the schema's number of a layout.
-- $2 from: bigint, Unix seconds; the earliest start.
-- $3 to: bigint, Unix seconds; the latest end.
-- Returns: header (JSON), release, whether age took something, digest (32 bytes).
select r.header,
    r.release_id,
    exists (
        select
        from throng.decay as d
        where d.release_id = r.release_id
            and d.cells > 0
    ),
    r.digest
from throng.release as r
where r.metric_id = $1::integer
    and r.period_start >= to_timestamp($2::bigint)
    and r.period_end <= to_timestamp($3::bigint)
order by r.period_kind, r.period_start;
