delete from throng.coverage
where app = $1
    and hour < to_timestamp($2::bigint);
