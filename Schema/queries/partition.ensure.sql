select throng.ensure_partitions(
    $1::smallint,
    array(select to_timestamp(unix_seconds) from unnest($2::bigint[]) as unix_seconds));
