select throng.drop_released($1::integer, $2, to_timestamp($3::bigint));
