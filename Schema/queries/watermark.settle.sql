-- $1: daemon. $2: its fence. $3: the asking that it answers. Says so again once a minute, so that one can see who is alive.
update throng.watermark
set settled = $3::bigint,
    settled_at = now()
where shard = 0
    and daemon = $1::uuid
    and fence = $2::bigint
    and (settled < $3::bigint or settled_at is null or settled_at < now() - interval '1 minute');
