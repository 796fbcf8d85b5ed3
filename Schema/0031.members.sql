-- Many daemons: who is one, and who counts which identifiers. Each has a shard of its own in all counters, so that no two wait
-- for the same row; a release adds them up.

create table throng.member (
    daemon uuid not null,
    shard smallint not null,
    address text,
    heard bigint not null default 0,
    enrolled_at timestamptz not null default now(),
    retired_at timestamptz,
    lost_since timestamptz,
    constraint member_pkey primary key (daemon),
    constraint member_shard_unique unique (shard),
    constraint member_shard_not_negative check (shard >= 0)
);
comment on table throng.member is 'Every daemon that ever attached to this database, whether it counts or not.';
comment on column throng.member.daemon is 'The data directory that owns the journal. Unit: none.';
comment on column throng.member.shard is 'Its own in the counters, never given to another. Unit: none.';
comment on column throng.member.address is 'Where other daemons reach it; null where they can''t. Unit: URL.';
comment on column throng.member.heard is 'The last epoch that it has agreed to. Unit: epochs.';
comment on column throng.member.enrolled_at is 'When it attached first. Unit: instant.';
comment on column throng.member.retired_at is 'When it was said to be lost: it never attaches again. Null for all others. Unit: instant.';
comment on column throng.member.lost_since is 'Of one that was said to be lost: what it acknowledged from here on may be lost with it. Null where nothing is, and for all others. Unit: instant.';

create table throng.epoch (
    epoch bigint not null,
    begins_at timestamptz not null,
    owners smallint[] not null,
    retires smallint,
    state text not null,
    made_at timestamptz not null default now(),
    constraint epoch_pkey primary key (epoch),
    constraint epoch_has_256_owners check (cardinality(owners) = 256),
    constraint epoch_state_known check (state in ('proposed', 'in force', 'void'))
);
comment on table throng.epoch is 'Who counts which identifiers, and from when on. Once one is in force or void it never changes.';
comment on column throng.epoch.epoch is 'Counted from 1. Unit: epochs.';
comment on column throng.epoch.begins_at is 'Windows that are opened to clients from here on are counted by it; a proposal that not all have agreed to by then is void. Unit: instant.';
comment on column throng.epoch.owners is 'By slot, which is the first byte of the SHA-256 of an identifier, the shard that counts it. Unit: shards.';
comment on column throng.epoch.retires is 'The shard of a daemon that is lost: others count for it at once, also in windows under way. Null for nobody. Unit: shards.';
comment on column throng.epoch.state is 'proposed, in force or void. Unit: none.';
comment on column throng.epoch.made_at is 'When it was proposed. Unit: instant.';

create table throng.member_secret (
    one boolean not null default true,
    secret bytea not null,
    constraint member_secret_pkey primary key (one),
    constraint member_secret_is_one check (one),
    constraint member_secret_length check (octet_length(secret) = 32)
);
comment on table throng.member_secret is 'By what daemons know one another where they hand requests on.';
comment on column throng.member_secret.one is 'There is one row. Unit: none.';
comment on column throng.member_secret.secret is 'Random. Unit: 32 bytes.';
insert into throng.member_secret (secret)
values (sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())));

grant select on throng.member, throng.epoch, throng.member_secret to throng_ingest;
grant select on throng.member, throng.epoch to throng_reporter;

-- Who has attached so far: the last of them keeps shard 0, where all has been counted.
insert into throng.member (daemon, shard, enrolled_at)
select daemon,
    row_number() over (order by attached_at desc, daemon) - 1,
    attached_at
from throng.watermark
where shard = 0;
update throng.watermark as mark
set shard = member.shard
from throng.member
where member.daemon = mark.daemon
    and mark.shard <> member.shard;
update throng.window_closing as closing
set shard = member.shard
from throng.member
where member.daemon = closing.daemon
    and closing.shard <> member.shard;
insert into throng.epoch (epoch, begins_at, owners, state)
select 1,
    '-infinity',
    array_fill(shard, array[256]),
    'in force'
from throng.member
where shard = 0;

comment on column throng.counter.shard is 'The daemon that counted it. Unit: shards.';
comment on column throng.distinct_count.shard is 'The daemon that counted them. Unit: shards.';
comment on column throng.distinct_count.window_number is 'floor(unix time / rotation); from 2^40 on, of a window that was taken over under way, plus its epoch times 2^40. Unit: windows.';
comment on column throng.watermark.shard is 'The shard of the daemon. Unit: shards.';
comment on column throng.window_closing.shard is 'The shard of the daemon. Unit: shards.';

-- Key of the lock that lets one session at a time change members and epochs: "THRG" and 31.
create function throng.lock_members() returns void
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
    select pg_advisory_xact_lock(6073194562405269535)
$$;
revoke all on function throng.lock_members() from public;

-- Says which shard a daemon has, and where others reach it; null for one that was retired. The first that takes batches counts
-- everything; who comes later counts nothing until it joins, or until the only one that counts has stopped.
create function throng.enroll(wanted_daemon uuid, wanted_address text, takes_batches boolean) returns smallint
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    own smallint;
    last throng.epoch;
begin
    update throng.member
    set address = wanted_address
    where daemon = wanted_daemon
        and address is distinct from wanted_address;
    if exists (select from throng.member where daemon = wanted_daemon and retired_at is not null) then
        return null;
    end if;
    perform throng.lock_members();
    insert into throng.member (daemon, shard, address)
    select wanted_daemon, coalesce(max(shard) + 1, 0), wanted_address
    from throng.member
    on conflict (daemon) do nothing;
    select shard into own from throng.member where daemon = wanted_daemon;
    if not takes_batches then
        return own;
    end if;
    insert into throng.epoch (epoch, begins_at, owners, state)
    select 1, '-infinity', array_fill(own, array[256]), 'in force'
    where not exists (select from throng.epoch);
    -- Where the only one that counts has stopped and left nothing behind, who is started in its place goes on.
    select * into last from throng.epoch where state = 'in force' order by epoch desc limit 1;
    if own <> all (last.owners)
        and last.owners[1] = all (last.owners)
        and not exists (select from throng.epoch where state = 'proposed')
        and exists (
            select from throng.watermark
            where shard = last.owners[1] and settled = 9223372036854775807
        )
    then
        insert into throng.epoch (epoch, begins_at, owners, retires, state)
        select max(epoch) + 1, clock_timestamp(), array_fill(own, array[256]), last.owners[1], 'in force'
        from throng.epoch;
    end if;
    return own;
end
$$;
revoke all on function throng.enroll(uuid, text, boolean) from public;
grant execute on function throng.enroll(uuid, text, boolean) to throng_ingest;

-- Whom an epoch needs the agreement of: all that count by it, or by the one that is in force before it.
create function throng.concerned(wanted_epoch bigint) returns table (shard smallint)
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
    select distinct owner
    from throng.epoch as known
    cross join lateral unnest(known.owners) as owner
    where known.epoch = wanted_epoch
        or known.epoch = (
            select max(before.epoch) from throng.epoch as before
            where before.epoch < wanted_epoch and before.state = 'in force'
        )
$$;
revoke all on function throng.concerned(bigint) from public;
grant execute on function throng.concerned(bigint) to throng_reporter;

-- Proposes who counts from an instant on; the number of the new epoch, null where another proposal is open or was faster.
create function throng.propose_epoch(after bigint, wanted_seconds integer, wanted_owners smallint[]) returns bigint
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    last bigint;
begin
    perform throng.lock_members();
    update throng.epoch set state = 'void' where state = 'proposed' and begins_at <= clock_timestamp();
    select max(epoch) into last from throng.epoch;
    if exists (select from throng.epoch where state = 'proposed') or last is distinct from after then
        return null;
    end if;
    insert into throng.epoch (epoch, begins_at, owners, state)
    values (last + 1, clock_timestamp() + make_interval(secs => wanted_seconds), wanted_owners, 'proposed');
    return last + 1;
end
$$;
revoke all on function throng.propose_epoch(bigint, integer, smallint[]) from public;

-- Notes that a daemon agrees to a proposal; the last one brings it into force. Once its time has come nobody can agree any
-- more, and it is void.
create function throng.hear_epoch(wanted_daemon uuid, wanted_epoch bigint) returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    perform throng.lock_members();
    update throng.epoch set state = 'void' where state = 'proposed' and begins_at <= clock_timestamp();
    if not exists (select from throng.epoch where epoch = wanted_epoch and state = 'proposed') then
        return;
    end if;
    update throng.member set heard = wanted_epoch where daemon = wanted_daemon and retired_at is null;
    if not exists (
        select from throng.concerned(wanted_epoch)
        join throng.member using (shard)
        where heard < wanted_epoch
    ) then
        update throng.epoch set state = 'in force' where epoch = wanted_epoch;
    end if;
end
$$;
revoke all on function throng.hear_epoch(uuid, bigint) from public;
grant execute on function throng.hear_epoch(uuid, bigint) to throng_ingest;

-- Gives up proposals whose time has come: not all have agreed.
create function throng.void_epochs() returns void
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
    select throng.lock_members()
    where exists (select from throng.epoch where state = 'proposed' and begins_at <= clock_timestamp());
    update throng.epoch set state = 'void' where state = 'proposed' and begins_at <= clock_timestamp();
$$;
revoke all on function throng.void_epochs() from public;
grant execute on function throng.void_epochs() to throng_ingest;

-- Lets others count for a daemon that is lost, at once; the number of the new epoch, null where another one was faster. What it
-- acknowledged and PostgreSQL does not have is lost with it.
create function throng.retire_member(wanted_daemon uuid, after bigint, wanted_owners smallint[]) returns bigint
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    last bigint;
    own smallint;
begin
    perform throng.lock_members();
    update throng.epoch set state = 'void' where state = 'proposed';
    select max(epoch) into last from throng.epoch;
    select shard into own from throng.member where daemon = wanted_daemon and retired_at is null;
    if own is null or last is distinct from after or own = any (wanted_owners) then
        return null;
    end if;
    update throng.member as lost
    set retired_at = clock_timestamp(),
        lost_since = (
            select greatest(mark.attached_at, mark.advanced_at, mark.settled_at)
            from throng.watermark as mark
            where mark.daemon = wanted_daemon
                and mark.settled < 9223372036854775807
        )
    where lost.daemon = wanted_daemon;
    -- No process has this fence: whatever still runs flushes nothing more, and nobody waits for it.
    update throng.watermark
    set fence = 9223372036854775807,
        holder = null,
        claim = null,
        settled = 9223372036854775807
    where daemon = wanted_daemon;
    insert into throng.epoch (epoch, begins_at, owners, retires, state)
    values (last + 1, clock_timestamp(), wanted_owners, own, 'in force');
    return last + 1;
end
$$;
revoke all on function throng.retire_member(uuid, bigint, smallint[]) from public;

drop function throng.close_windows(uuid, bigint, bigint);
-- Notes until when windows were closed with a flush; rows that this one reaches beyond go.
create function throng.close_windows(
    wanted_shard smallint, wanted_daemon uuid, wanted_position bigint, wanted_ended bigint
) returns void
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
    delete from throng.window_closing
    where shard = wanted_shard
        and daemon = wanted_daemon
        and ended <= wanted_ended;
    insert into throng.window_closing (shard, daemon, position, ended)
    values (wanted_shard, wanted_daemon, wanted_position, wanted_ended);
$$;
revoke all on function throng.close_windows(smallint, uuid, bigint, bigint) from public;
grant execute on function throng.close_windows(smallint, uuid, bigint, bigint) to throng_ingest;

-- One daemon at a time looks at what is due, so that not all of them compute the same.
create table throng.lease (
    name text not null,
    daemon uuid not null,
    until timestamptz not null,
    constraint lease_pkey primary key (name)
);
comment on table throng.lease is 'What one daemon does for all of them, and until when it has it.';
comment on column throng.lease.name is 'What. Unit: none.';
comment on column throng.lease.daemon is 'Who. Unit: none.';
comment on column throng.lease.until is 'From here on anybody may take it. Unit: instant.';
grant select, insert, update, delete on throng.lease to throng_reporter;

drop function throng.prune(integer[], timestamptz[]);
-- Deletes what a removal has brought to nothing in a daemon's shard; otherwise as before.
create function throng.prune(wanted_shard smallint, metrics integer[], starts timestamptz[]) returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    delete from throng.counter as known
    using unnest(metrics, starts) as touched (metric_id, period_start)
    where known.shard = wanted_shard
        and known.metric_id = touched.metric_id
        and known.period_start = touched.period_start
        and known.value = 0;
    delete from throng.distinct_count as known
    using unnest(metrics, starts) as touched (metric_id, period_start)
    where known.shard = wanted_shard
        and known.metric_id = touched.metric_id
        and known.period_start = touched.period_start
        and known.devices = 0;
    delete from throng.top_contribution as known
    using unnest(metrics, starts) as touched (metric_id, period_start)
    where known.shard = wanted_shard
        and known.metric_id = touched.metric_id
        and known.period_start = touched.period_start
        and known.largest = 0
        and not exists (
            select
            from throng.distinct_count as left_over
            where left_over.shard = wanted_shard
                and left_over.metric_id = known.metric_id
                and left_over.period_start = known.period_start
                and left_over.margin = known.margin
                and left_over.cell = known.cell
                and left_over.window_number = known.window_number
        );
end
$$;
revoke all on function throng.prune(smallint, integer[], timestamptz[]) from public;
grant execute on function throng.prune(smallint, integer[], timestamptz[]) to throng_ingest;
