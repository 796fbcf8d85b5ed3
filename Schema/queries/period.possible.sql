-- For which instants no partition is made, and what PostgreSQL's clock says.
-- $1 starts: bigint[], Unix seconds.
-- Returns: one row: those of the instants (Unix seconds, separated by commas), now (Unix seconds).
select coalesce(array_to_string(array(
        select distinct unix_seconds
        from unnest($1::bigint[]) as unix_seconds
        where not throng.takes_period(to_timestamp(unix_seconds))
        order by unix_seconds
    ), ','), ''),
    extract(epoch from now())::bigint;
