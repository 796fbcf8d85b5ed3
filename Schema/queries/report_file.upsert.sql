-- A report that is made again has the same bytes, unless its plan's texts changed.
insert into throng.report_file
    (app, report, partner, period_kind, period_start, period_end, name, contents, made_at)
values (
    $1, $2, $3, $4::smallint, to_timestamp($5::bigint), to_timestamp($6::bigint), $7, $8, to_timestamp($9::bigint))
on conflict (app, report, period_start, name) do update
set partner = excluded.partner,
    contents = excluded.contents,
    made_at = excluded.made_at
where report_file.contents <> excluded.contents or report_file.partner <> excluded.partner;
