-- Works with version 31.
-- A daemon that stops while windows are open in which it counts identifiers owes PostgreSQL what these come to. Who has stopped is
-- replaced by itself only where it can't come back beside its successor. And what a PostgreSQL that was set back knows of who counts is
-- told to it again.

comment on column throng.watermark.settled is 'The last asking of which all that was acknowledged before is in the counters; 2^63 - 1 of a daemon that has stopped and left nothing behind, and 2^62 plus Unix seconds of one that owes something from then on, as windows are over that were open when it stopped. Unit: askings.';

-- As before; where daemons can reach one another, one that stops is likely to come back, and its place is taken only by one that was
-- not there before, once nothing was heard of it for a quarter of an hour. Otherwise a person has to say that it is lost.
create or replace function throng.enroll(wanted_daemon uuid, wanted_address text, takes_batches boolean) returns smallint
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    own smallint;
    last throng.epoch;
    counting smallint;
    left_at timestamptz;
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
    counting := last.owners[1];
    if own <> all (last.owners)
        and counting = all (last.owners)
        and not exists (select from throng.epoch where state = 'proposed')
    then
        select coalesce(mark.settled_at, mark.attached_at)
        into left_at
        from throng.watermark as mark
        where mark.shard = counting
            and mark.settled >= 4611686018427387904;
        if found
            and (
                (wanted_address is null and exists (select from throng.member where shard = counting and address is null))
                or (
                    left_at < clock_timestamp() - interval '15 minutes'
                    and exists (select from throng.member where shard = own and enrolled_at > left_at)
                )
            )
        then
            insert into throng.epoch (epoch, begins_at, owners, retires, state)
            select max(epoch) + 1, clock_timestamp(), array_fill(own, array[256]), counting, 'in force'
            from throng.epoch;
        end if;
    end if;
    return own;
end
$$;

-- As before; who is retired can agree to nothing.
create or replace function throng.concerned(wanted_epoch bigint) returns table (shard smallint)
language sql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
    select distinct member.shard
    from throng.epoch as known
    cross join lateral unnest(known.owners) as owner
    join throng.member on member.shard = owner
    where member.retired_at is null
        and (
            known.epoch = wanted_epoch
            or known.epoch = (
                select max(before.epoch) from throng.epoch as before
                where before.epoch < wanted_epoch and before.state = 'in force'
            )
        )
$$;

-- Whether all of them are daemons that count still.
create function throng.can_count(wanted_owners smallint[]) returns boolean
language sql
stable
set search_path = pg_catalog, pg_temp
as $$
    select not exists (
        select
        from unnest(wanted_owners) as owner
        left join throng.member on member.shard = owner
        where member.shard is null
            or member.retired_at is not null
    )
$$;
revoke all on function throng.can_count(smallint[]) from public;

-- As before; null also where one of the owners was retired meanwhile.
create or replace function throng.propose_epoch(after bigint, wanted_seconds integer, wanted_owners smallint[]) returns bigint
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
    if exists (select from throng.epoch where state = 'proposed')
        or last is distinct from after
        or not throng.can_count(wanted_owners)
    then
        return null;
    end if;
    insert into throng.epoch (epoch, begins_at, owners, state)
    values (last + 1, clock_timestamp() + make_interval(secs => wanted_seconds), wanted_owners, 'proposed');
    return last + 1;
end
$$;

-- Lets nobody wait any more for a daemon that is lost, and notes since when something may be lost with it.
create function throng.give_up(wanted_daemon uuid, own smallint) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
    complete timestamptz;
    is_settled boolean;
begin
    -- No process has this fence: whatever still runs flushes nothing more, and nobody waits for it.
    update throng.watermark as mark
    set fence = 9223372036854775807,
        holder = null,
        claim = null
    where mark.shard = own
        and mark.daemon = wanted_daemon;
    select mark.complete_at
    into complete
    from throng.watermark as mark
    where mark.shard = own
        and mark.daemon = wanted_daemon
        and mark.settled < 9223372036854775807;
    is_settled := not found;
    update throng.watermark as mark
    set settled = 9223372036854775807
    where mark.shard = own
        and mark.daemon = wanted_daemon;
    update throng.member
    set retired_at = clock_timestamp(),
        lost_since = case when not is_settled then coalesce(complete, enrolled_at) end
    where daemon = wanted_daemon;
end
$$;
revoke all on function throng.give_up(uuid, smallint) from public;

-- As before; null also where one of the owners was retired meanwhile.
create or replace function throng.retire_member(wanted_daemon uuid, after bigint, wanted_owners smallint[]) returns bigint
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
    if own is null
        or last is distinct from after
        or own = any (wanted_owners)
        or not throng.can_count(wanted_owners)
    then
        return null;
    end if;
    perform throng.give_up(wanted_daemon, own);
    insert into throng.epoch (epoch, begins_at, owners, retires, state)
    values (last + 1, clock_timestamp(), wanted_owners, own, 'in force');
    return last + 1;
end
$$;

-- Tells PostgreSQL of an epoch that was in force before it was set back to an earlier time. Daemons are named, because shards may be
-- given anew. False where another epoch has taken its place, or who counts by it was retired.
create function throng.recall_epoch(
    wanted_epoch bigint, wanted_begins bigint, wanted_owners uuid[], wanted_lost uuid, is_retired boolean
) returns boolean
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    shards smallint[];
    lost smallint;
    other throng.epoch;
begin
    perform throng.lock_members();
    insert into throng.member (daemon, shard)
    select missing.daemon,
        (select coalesce(max(shard), -1) from throng.member) + row_number() over (order by missing.daemon)
    from (select distinct daemon from unnest(wanted_owners || wanted_lost) as daemon where daemon is not null) as missing
    where not exists (select from throng.member where member.daemon = missing.daemon);
    select array_agg(member.shard order by owner.place)
    into shards
    from unnest(wanted_owners) with ordinality as owner (daemon, place)
    join throng.member on member.daemon = owner.daemon;
    select shard into lost from throng.member where daemon = wanted_lost;
    select * into other from throng.epoch where epoch >= wanted_epoch and state = 'in force' order by epoch limit 1;
    if found then
        return other.epoch = wanted_epoch and other.owners = shards and other.retires is not distinct from lost;
    end if;
    if not throng.can_count(shards) then
        return false;
    end if;
    insert into throng.epoch (epoch, begins_at, owners, retires, state)
    values (wanted_epoch, coalesce(to_timestamp(wanted_begins), '-infinity'), shards, lost, 'in force')
    on conflict (epoch) do update
    set begins_at = excluded.begins_at,
        owners = excluded.owners,
        retires = excluded.retires,
        state = excluded.state;
    if is_retired and exists (select from throng.member where daemon = wanted_lost and retired_at is null) then
        perform throng.give_up(wanted_lost, lost);
    end if;
    return true;
end
$$;
revoke all on function throng.recall_epoch(bigint, bigint, uuid[], uuid, boolean) from public;
grant execute on function throng.recall_epoch(bigint, bigint, uuid[], uuid, boolean) to throng_ingest;

-- As before, but for one lock: a release that is on its way refers to its layout, and let no daemon start or join until it was over.
do $$
declare
    function regprocedure;
begin
    foreach function in array array[
        'throng.hold_terms(integer, bigint, bigint, text[], smallint, text[], boolean, text[], jsonb, boolean)',
        'throng.hold_promise(integer, bigint, bigint[], text[], text, text[], boolean)'
    ]::regprocedure[]
    loop
        execute replace(pg_get_functiondef(function), 'for update', 'for no key update');
    end loop;
end
$$;
