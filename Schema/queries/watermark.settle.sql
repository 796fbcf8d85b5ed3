-- Notes that PostgreSQL has what a daemon acknowledged. Says so again once a minute, so that one can see who is alive.
-- $1 daemon: uuid.
-- $2 fence: bigint, microseconds since 1970; the one under which this process attached.
-- $3 asking: bigint, the one that it answers.
-- Returns: no rows.
update throng.watermark
set settled = $3::bigint,
    settled_at = now()
where daemon = $1::uuid
    and fence = $2::bigint
    and (settled < $3::bigint or settled_at is null or settled_at < now() - interval '1 minute');
