-- Works with version 31.
-- Citus may hold the counters: several PostgreSQL by shard, which is to say by daemon, and everything else on the coordinator.

-- On how many nodes they are; 0 where this PostgreSQL has them itself.
create function throng.counter_nodes() returns bigint
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    -- The tables below are an extension's.
    if to_regclass('pg_catalog.pg_dist_partition') is null then
        return 0;
    end if;
    if not exists (select from pg_catalog.pg_dist_partition where logicalrelid = 'throng.watermark'::regclass) then
        return 0;
    end if;
    return (select count(*) from pg_catalog.pg_dist_node where noderole = 'primary' and isactive and shouldhaveshards);
end
$$;
revoke all on function throng.counter_nodes() from public;
grant execute on function throng.counter_nodes() to throng_ingest, throng_reporter;

-- Hands the counters over to the nodes of a cluster of Citus, with what they hold; what is in the way, or nothing.
--
-- A daemon counts in one shard, so that a flush is one node's transaction, its watermark's too. The roles of daemons and releases
-- have to log in from now on, because a coordinator speaks to nodes as whoever speaks to it.
create function throng.distribute(wanted_parts integer) returns text
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
    name text;
begin
    if to_regclass('pg_catalog.pg_dist_partition') is null then
        return 'no extension';
    end if;
    if throng.counter_nodes() > 0 then
        return 'distributed';
    end if;
    if not exists (select from pg_catalog.pg_dist_node where noderole = 'primary' and isactive and shouldhaveshards) then
        return 'no nodes';
    end if;
    execute 'alter role throng_ingest login';
    execute 'alter role throng_reporter login';
    -- What one user has changed on a node within a transaction no other may touch in it, so a flush does all of it as itself.
    execute 'alter function throng.prune(smallint, integer[], timestamptz[]) security invoker';
    execute 'alter function throng.close_windows(smallint, uuid, bigint, bigint) security invoker';
    execute 'grant delete on throng.counter, throng.distinct_count, throng.top_contribution to throng_ingest';
    execute 'grant insert, delete on throng.window_closing to throng_ingest';
    -- Upserts name it on every node; where the extension is older than the schema it is there already.
    perform pg_catalog.create_distributed_function('throng.saturating_add(bigint, bigint)');
    foreach name in array array['watermark', 'window_closing', 'top_contribution', 'counter', 'distinct_count'] loop
        if name = 'watermark' then
            perform pg_catalog.create_distributed_table('throng.watermark', 'shard', shard_count => wanted_parts);
        else
            perform pg_catalog.create_distributed_table(
                format('throng.%I', name)::regclass, 'shard', colocate_with => 'throng.watermark');
        end if;
        -- What was copied to the nodes stays here otherwise, and no promise to delete would ever reach it.
        perform pg_catalog.truncate_local_data_after_distributing_table(format('throng.%I', name)::regclass);
    end loop;
    return null;
end
$$;
revoke all on function throng.distribute(integer) from public;

-- Waits for flushes under way and holds off later ones to the end of the transaction, where nodes hold the counters: there is no
-- snapshot over nodes, and a flush that is committed here may still be on its way to one. One PostgreSQL needs no such wait.
create function throng.hold_counters() returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    known record;
begin
    if throng.counter_nodes() = 0 then
        return;
    end if;
    for known in select shard, daemon from throng.member order by shard loop
        perform from throng.watermark as mark where mark.shard = known.shard and mark.daemon = known.daemon for share;
    end loop;
end
$$;
revoke all on function throng.hold_counters() from public;
grant execute on function throng.hold_counters() to throng_reporter;

-- Deletes largest contributions that belong to no period that can still be released, alone, in a rollup, or with metrics of the same
-- events. Nodes don't have the tables that say so.
create function throng.delete_abandoned() returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
    -- Key of the lock that flushes of a metric share: "THRG".
    metrics constant integer := 1414025799;
    known record;
begin
    for known in select distinct metric_id, period_start from throng.top_contribution loop
        continue when throng.awaits_release(known.metric_id, known.period_start);
        perform pg_advisory_xact_lock(metrics, known.metric_id);
        continue when throng.awaits_release(known.metric_id, known.period_start);
        delete from throng.top_contribution as gone
        where gone.metric_id = known.metric_id
            and gone.period_start = known.period_start;
    end loop;
end
$$;
revoke all on function throng.delete_abandoned() from public;
grant execute on function throng.delete_abandoned() to throng_reporter;

-- Whether a period's largest contributions are still needed.
create function throng.awaits_release(wanted_metric integer, wanted_start timestamptz) returns boolean
language sql
stable
set search_path = pg_catalog, pg_temp
as $$
    select exists (
            select
            from throng.open_period as open
            where open.metric_id = wanted_metric
                and open.period_start = wanted_start
        )
        or exists (
            select
            from throng.open_rollup as open
            where open.metric_id = wanted_metric
                and open.period_start <= wanted_start
                and open.period_end > wanted_start
        )
        or exists (
            select
            from throng.kept_period as kept
            where kept.metric_id = wanted_metric
                and kept.period_start = wanted_start
        )
$$;
revoke all on function throng.awaits_release(integer, timestamptz) from public;
grant execute on function throng.awaits_release(integer, timestamptz) to throng_reporter;

-- What is in the counters says less than it seems: a flush may have waited for PostgreSQL for minutes, and a daemon that has just
-- attached may have much to bring. So a daemon says until when it is complete, by PostgreSQL's own clock.
alter table throng.watermark add column complete_at timestamptz;
comment on column throng.watermark.complete_at is 'All that it acknowledged before is in the counters; null where it has not said so. Unit: instant.';

-- As before; what may be lost is what it never said to be in the counters, and no statement about a node names a clock.
create or replace function throng.retire_member(wanted_daemon uuid, after bigint, wanted_owners smallint[]) returns bigint
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    last bigint;
    own smallint;
    complete timestamptz;
    is_settled boolean;
begin
    perform throng.lock_members();
    update throng.epoch set state = 'void' where state = 'proposed';
    select max(epoch) into last from throng.epoch;
    select shard into own from throng.member where daemon = wanted_daemon and retired_at is null;
    if own is null or last is distinct from after or own = any (wanted_owners) then
        return null;
    end if;
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
    insert into throng.epoch (epoch, begins_at, owners, retires, state)
    values (last + 1, clock_timestamp(), wanted_owners, own, 'in force');
    return last + 1;
end
$$;
revoke all on function throng.retire_member(uuid, bigint, smallint[]) from public;

-- As before; a coordinator can't ask nodes within another question.
create or replace function throng.enroll(wanted_daemon uuid, wanted_address text, takes_batches boolean) returns smallint
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    own smallint;
    last throng.epoch;
    counting smallint;
    settled bigint;
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
        select mark.settled into settled from throng.watermark as mark where mark.shard = counting;
        if settled = 9223372036854775807 then
            insert into throng.epoch (epoch, begins_at, owners, retires, state)
            select max(epoch) + 1, clock_timestamp(), array_fill(own, array[256]), counting, 'in force'
            from throng.epoch;
        end if;
    end if;
    return own;
end
$$;
