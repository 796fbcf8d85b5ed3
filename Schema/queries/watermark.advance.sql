-- Must touch exactly one row; none means that this flush is not the next one.
update throng.watermark
set position = $3::bigint,
    advanced_at = now()
where shard = 0
    and daemon = $1::uuid
    and position = $2::bigint
    and fence = $4::bigint;
