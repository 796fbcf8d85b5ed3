-- Takes a lease, or keeps it: one row where nobody else has it.
-- $1 name: text.
-- $2 daemon: uuid.
-- $3 length: integer, seconds.
-- Returns: one row of nothing where it is this daemon's now; no row otherwise.
insert into throng.lease as known (name, daemon, until)
values ($1::text, $2::uuid, now() + make_interval(secs => $3::integer))
on conflict (name) do update
set daemon = excluded.daemon,
    until = excluded.until
where known.daemon = excluded.daemon
    or known.until <= now()
returning '';
