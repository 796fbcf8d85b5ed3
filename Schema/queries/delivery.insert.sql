-- Writes down where a run is to go.
-- $1 app: text.
-- $2 report: text.
-- $3 kind: smallint, 0 hour, 1 day, 2 week, 3 month.
-- $4 start: bigint, Unix seconds; the first second of the period.
-- $5 target: text, a folder or a method and an address.
-- $6 authorization: text, the name of the operator's secret that goes with it; null for none.
-- $7 idempotency key: bytea, 32 bytes.
-- $8 now: bigint, Unix seconds.
-- Returns: no rows.
insert into throng.delivery
    (app, report, period_kind, period_start, target, authorization_name, idempotency_key, next_at)
values ($1, $2, $3::smallint, to_timestamp($4::bigint), $5, $6, $7, to_timestamp($8::bigint));
