-- Notes that a file of a delivery arrived.
-- $1 app: text.
-- $2 report: text.
-- $3 kind: smallint, 0 hour, 1 day, 2 week, 3 month.
-- $4 start: bigint, Unix seconds; the first second of the period.
-- $5 target: text, a folder or a method and an address.
-- $6 place: smallint, from 0; the file's place among the run's.
-- $7 status: smallint, what HTTP answered; null for a folder.
-- $8 now: bigint, Unix seconds.
-- Returns: no rows.
insert into throng.delivered_file (app, report, period_kind, period_start, target, place, status, delivered_at)
values ($1, $2, $3::smallint, to_timestamp($4::bigint), $5, $6::smallint, $7::smallint, to_timestamp($8::bigint))
on conflict do nothing;
