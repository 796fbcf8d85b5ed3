-- Whether the reasons of a release are still known; one without withheld cells counts as forgotten.
-- $1 metric: integer, the schema's number of a layout.
-- $2 kind: smallint, 0 hour, 1 day, 2 week, 3 month.
-- $3 start: bigint, Unix seconds; the first second of the period.
-- Returns: one row, yes or no.
select exists (
    select
    from throng.withheld_cell as known
    join throng.release as r using (release_id)
    where r.metric_id = $1::integer
        and r.period_kind = $2::smallint
        and r.period_start = to_timestamp($3::bigint)
);
