-- Keeps a file of a run.
-- $1 app: text.
-- $2 report: text.
-- $3 kind: smallint, 0 hour, 1 day, 2 week, 3 month.
-- $4 start: bigint, Unix seconds; the first second of the period.
-- $5 place: smallint, from 0; in which order it is delivered.
-- $6 name: text.
-- $7 contents: bytea.
-- Returns: no rows.
insert into throng.run_file (app, report, period_kind, period_start, place, name, contents)
values ($1, $2, $3::smallint, to_timestamp($4::bigint), $5::smallint, $6, $7);
