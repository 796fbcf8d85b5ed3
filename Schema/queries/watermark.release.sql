-- Gives the place back: whoever comes next need not wait.
update throng.watermark
set holder = null
where shard = 0
    and daemon = $1::uuid
    and fence = $2::bigint;
