-- The earliest end of a period of which one step of a promise has still to take numbers.
-- $1 metric: integer, the schema's number of a layout.
-- $2 dimension: text, the one whose numbers go; null for all.
-- $3 shorter: smallint, a kind of period; releases of shorter ones only. Null for all.
-- $4 began: bigint, Unix seconds; the periods began before it. Null for all.
-- Returns: one row: end (Unix seconds, or null where nothing is left to take), and how many releases there are.
select extract(epoch from min(r.period_end))::bigint,
    count(*)
from throng.release as r
where r.metric_id = $1::integer
    and ($3::smallint is null or r.period_kind < $3::smallint)
    and r.period_start < coalesce(to_timestamp($4::bigint), 'infinity')
    and not exists (
        select from throng.decay as d
        where d.release_id = r.release_id
            and d.dropped in ($2, '*')
    );
