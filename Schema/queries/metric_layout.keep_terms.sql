-- $1: metric_id. $2: k. $3: sensitive dimensions, separated by commas. $4: p, in percent.
select throng.keep_terms($1::integer, $2::bigint, string_to_array($3, ','), $4::smallint);
