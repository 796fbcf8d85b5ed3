-- $1: metric_id. $2: k. $3: sensitive dimensions, separated by commas. $4: p, in percent. $5: ages at which numbers go, in
-- seconds. $6: what goes then, separated by commas: names of dimensions, which hold no comma, or * for all.
select throng.keep_terms(
    $1::integer,
    $2::bigint,
    string_to_array($3, ','),
    $4::smallint,
    $5::bigint[],
    string_to_array($6, ','));
