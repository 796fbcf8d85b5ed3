-- Gives the place back: whoever comes next need not wait.
-- $1 daemon: uuid.
-- $2 fence: bigint, microseconds since 1970; the one under which this process attached.
-- Returns: no rows.
update throng.watermark
set holder = null
where daemon = $1::uuid
    and fence = $2::bigint;
