-- Writes a release.
-- $1 metric: integer, the schema's number of a layout.
-- $2 app: text.
-- $3 metric: text, its name.
-- $4 kind: smallint, 0 hour, 1 day, 2 week, 3 month.
-- $5 start: bigint, Unix seconds; the first second of the period.
-- $6 end: bigint, Unix seconds; the first second after the period.
-- $7 k: bigint, devices.
-- $8 plan: text, hexadecimal digest of the plan.
-- $9 header: json.
-- $10 digest: bytea, of its cells, 32 bytes.
-- Returns: the schema's number of the release.
insert into throng.release
    (metric_id, app, metric, period_kind, period_start, period_end, threshold, plan, header, digest)
values (
    $1::integer,
    $2,
    $3,
    $4::smallint,
    to_timestamp($5::bigint),
    to_timestamp($6::bigint),
    $7::bigint,
    $8,
    $9::json,
    $10::bytea)
returning release_id;
