-- Works with version 31.
-- Releases go on two days after a daemon was heard of last. Where it has windows open whose end brings what no release can make up for,
-- these days begin once the last of them is over, whether it was stopped or killed.

alter table throng.member add column owed_until timestamptz;
comment on column throng.member.owed_until is 'When the last window is over that the daemon had open, as it said last, and whose end brings PostgreSQL something; null for none. Unit: instant.';

-- Notes until when a daemon owes something.
create function throng.owe(wanted_daemon uuid, wanted_until bigint) returns void
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
    update throng.member
    set owed_until = to_timestamp(wanted_until)
    where daemon = wanted_daemon
        and owed_until is distinct from to_timestamp(wanted_until);
$$;
revoke all on function throng.owe(uuid, bigint) from public;
grant execute on function throng.owe(uuid, bigint) to throng_ingest;
