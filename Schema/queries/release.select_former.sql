-- The last release of a metric before a period, with whether age has taken anything of it.
-- $1 metric: integer, the schema's number of a layout.
-- $2 kind: smallint, 0 hour, 1 day, 2 week, 3 month.
-- $3 start: bigint, Unix seconds; the first second of the period.
-- Returns: header (JSON), release, whether age took something, digest (32 bytes); at most one.
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
    and r.period_kind = $2::smallint
    and r.period_start < to_timestamp($3::bigint)
order by r.period_start desc
limit 1;
