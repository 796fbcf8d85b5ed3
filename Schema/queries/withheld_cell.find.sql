-- Whether the reasons of a release are still known; one without withheld cells counts as forgotten.
select exists (
    select
    from throng.withheld_cell as known
    join throng.release as r using (release_id)
    where r.metric_id = $1::integer
        and r.period_kind = $2::smallint
        and r.period_start = to_timestamp($3::bigint)
);
