select throng.drop_partitions(
    to_timestamp($1::bigint),
    to_timestamp($2::bigint),
    to_timestamp($3::bigint));
