insert into throng.run_file (app, report, period_kind, period_start, place, name, contents)
values ($1, $2, $3::smallint, to_timestamp($4::bigint), $5::smallint, $6, $7);
