-- Which of these instants no partition is made for, and what PostgreSQL's clock says.
select coalesce(array_to_string(array(
        select distinct unix_seconds
        from unnest($1::bigint[]) as unix_seconds
        where not throng.takes_period(to_timestamp(unix_seconds))
        order by unix_seconds
    ), ','), ''),
    extract(epoch from now())::bigint;
