insert into throng.run_file (app, report, period_start, place, name, contents)
values ($1, $2, to_timestamp($3::bigint), $4::smallint, $5, $6);
