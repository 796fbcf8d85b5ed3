-- Why a cell of a release is withheld.
-- $1 metric: integer, the schema's number of a layout.
-- $2 kind: smallint, 0 hour, 1 day, 2 week, 3 month.
-- $3 start: bigint, Unix seconds; the first second of the period.
-- $4 margin: integer, bits of the dimensions that it keeps.
-- $5 cell: integer.
-- Returns: reason (code), floor (devices; null of one that is not small); no row where it is not withheld.
select reason,
    floor
from throng.withheld_cell
where release_id = (
    select r.release_id
    from throng.release as r
    where r.metric_id = $1::integer
        and r.period_kind = $2::smallint
        and r.period_start = to_timestamp($3::bigint)
)
    and margin = $4::integer
    and cell = $5::integer;
