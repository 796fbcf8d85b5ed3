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
