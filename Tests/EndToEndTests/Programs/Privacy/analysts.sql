-- What the role throng_analyst may do, in pgTAP. Run as a superuser in a database with a released hour (salon.py); what an
-- analyst does here is done over a connection of her own, as the login alice, who is a member of throng_analyst.
set search_path = tap, pg_catalog;
set client_min_messages = warning;

select tap.dblink_connect(
    'alice', format('host=%s dbname=throng user=alice', current_setting('tap.socket'))) as connected \gset

-- Runs a statement as alice; her errors are ours.
create function tap.as_alice(statement text) returns text
language sql
return tap.dblink_exec('alice', statement);

-- The one text that a query of alice's returns.
create function tap.alice_reads(query text) returns text
language sql
return (select answer from tap.dblink('alice', query) as t (answer text));

create function tap.is_denied(statement text, sqlstate text default '42501') returns text
language sql
return tap.throws_ok(format('select tap.as_alice(%L)', statement), sqlstate, null, 'denied: ' || statement);

select no_plan();


-- Functions ----------------------------------------------------------------------------------------------------------

select set_eq(
    $$ select p.oid::regprocedure::text from pg_proc as p
       where pronamespace in ('throng'::regnamespace, 'analyst'::regnamespace, 'public'::regnamespace)
           and has_function_privilege('alice', p.oid, 'execute') $$,
    array[
        'analyst.share(numeric,numeric)', 'analyst.change(numeric,numeric)', 'analyst.reason(text[])',
        'analyst.total(numeric,text)', 'analyst.total_reason(text)', 'analyst.total_margin(numeric,text)'],
    'of Throng''s functions an analyst may call these and no others');
select is_empty(
    $$ select proname from pg_proc where pronamespace = 'analyst'::regnamespace and obj_description(oid, 'pg_proc') is null $$,
    'each of them has a comment');
select is_empty(
    $$ select proname from pg_proc where pronamespace = 'analyst'::regnamespace
           and (prosecdef or provolatile <> 'i') $$,
    'none of them runs as anybody else, or reads anything but its arguments');
select is_empty(
    $$ select p.oid::regprocedure from pg_proc as p
       where p.prosecdef and p.pronamespace = 'throng'::regnamespace
           and not coalesce(p.proconfig, '{}') && array['search_path=pg_catalog, pg_temp', 'search_path=""'] $$,
    'functions with their owner''s rights look names up where nobody else can put any');
-- Reviewed one by one. What is new in another version of PostgreSQL has to be looked at.
select set_eq(
    $$ select distinct proname::text from pg_proc as p
       where pronamespace = 'pg_catalog'::regnamespace and provolatile = 'v' and prokind = 'f'
           and prorettype not in (
               'trigger'::regtype, 'event_trigger'::regtype, 'index_am_handler'::regtype, 'table_am_handler'::regtype,
               'tsm_handler'::regtype, 'language_handler'::regtype)
           and proname !~ '^binary_upgrade_'
           and has_function_privilege('alice', p.oid, 'execute') $$,
    array[
        -- Only the owner of an index or a sequence may call these, or they need another right that an analyst lacks.
        'amvalidate', 'brin_desummarize_range', 'brin_summarize_new_values', 'brin_summarize_range', 'currtid2', 'currval',
        'gin_clean_pending_list', 'lastval', 'nextval', 'setval', 'pg_sequence_last_value', 'pg_nextoid',
        'pg_extension_config_dump', 'pg_import_system_collations', 'pg_read_file_old', 'pg_rotate_logfile_old',
        'pg_stop_making_pinned_objects', 'pg_copy_logical_replication_slot', 'pg_copy_physical_replication_slot',
        'pg_create_logical_replication_slot', 'pg_create_physical_replication_slot', 'pg_drop_replication_slot',
        'pg_logical_slot_get_binary_changes', 'pg_logical_slot_get_changes', 'pg_logical_slot_peek_binary_changes',
        'pg_logical_slot_peek_changes', 'pg_replication_slot_advance',
        -- Run a query with the caller's own rights.
        'cursor_to_xml', 'cursor_to_xmlschema', 'query_to_xml', 'query_to_xml_and_xmlschema', 'query_to_xmlschema',
        'ts_rewrite', 'ts_stat',
        -- Time, chance, the caller's own session, PostgreSQL's version and collations, names of partitions.
        'clock_timestamp', 'timeofday', 'random', 'setseed', 'gen_random_uuid', 'set_config', 'current_query', 'pg_sleep',
        'pg_sleep_for', 'pg_sleep_until', 'pg_notify', 'pg_advisory_unlock', 'pg_advisory_unlock_all',
        'pg_advisory_unlock_shared', 'pg_stat_clear_snapshot', 'pg_stat_force_next_flush', 'pg_collation_actual_version',
        'pg_database_collation_actual_version', 'pg_jit_available', 'pg_is_in_recovery', 'pg_is_wal_replay_paused',
        'pg_get_wal_replay_pause_state', 'pg_get_wal_resource_managers', 'pg_partition_ancestors', 'pg_partition_tree',
        'dsnowball_init', 'dsnowball_lexize', 'plpgsql_inline_handler', 'plpgsql_validator'],
    'of PostgreSQL''s volatile functions an analyst may call these and no others');
select is_empty(
    $$ select p.oid::regprocedure from pg_proc as p
       where proname ~ '^pg_stat_get_|_size$|advisory_(xact_)?lock|^lo_|current_(wal|xact|snapshot)|^txid_current|_lock_'
           and proname not in ('pg_column_size', 'plan_buffer_size')
           and pronamespace = 'pg_catalog'::regnamespace
           and has_function_privilege('alice', p.oid, 'execute') $$,
    'no statistics, no sizes, no locks, no large objects, no counters of transactions');


-- Tables -------------------------------------------------------------------------------------------------------------

select is_empty(
    $$ select c.oid::regclass, attname from pg_class as c join pg_attribute as a on a.attrelid = c.oid
       where relnamespace = 'throng'::regnamespace
           and relkind in ('r', 'p', 'v')
           and (has_column_privilege('alice', c.oid, attnum, 'select,insert,update,references')
               or has_table_privilege('alice', c.oid, 'delete,truncate,trigger')) $$,
    'nothing of schema throng can be read or written');
select is_empty(
    $$ select c.oid::regclass from pg_class as c
       where relnamespace in ('throng'::regnamespace, 'public'::regnamespace)
           and case when relkind = 'S' then has_sequence_privilege('alice', c.oid, 'usage,select,update') end $$,
    'no sequence tells how many rows there were');
select set_eq(
    $$ select attname::text from pg_attribute where attrelid = 'pg_class'::regclass and attnum > 0
           and not has_column_privilege('alice', attrelid, attnum, 'select') $$,
    array['relpages', 'reltuples', 'relallvisible', 'relfrozenxid', 'relminmxid'],
    'what PostgreSQL believes of a table''s size is closed, the rest of the catalogue is open');
select set_eq(
    $$ select distinct r.relname::text from pg_depend as d
       join pg_rewrite as w on w.oid = d.objid
       join pg_class as v on v.oid = w.ev_class and v.relnamespace = 'analyst'::regnamespace
       join pg_class as r on r.oid = d.refobjid and r.relnamespace = 'throng'::regnamespace
       where d.refclassid = 'pg_class'::regclass $$,
    array['decay', 'grouping_view', 'impossible_cell', 'layout_terms', 'metric_layout', 'release', 'released_cell', 'shown_label',
        'shown_margin'],
    'views read what was released and what the plan says');
select is_empty(
    $$ select relname from pg_class where relnamespace = 'analyst'::regnamespace and relkind = 'v'
           and not coalesce(reloptions, '{}') @> array['security_barrier=true'] $$,
    'a condition is looked at after what the view itself says');
select is(
    tap.alice_reads($$ select count(*)::text from pg_stats where schemaname = 'throng' $$), '0',
    'no statistics of what tables hold');
select is_empty(
    $$ select nspname from pg_namespace where has_schema_privilege('alice', oid, 'create') $$,
    'no schema takes an analyst''s tables or functions');
select ok(not has_database_privilege('alice', 'throng', 'temporary'), 'nor do temporary ones exist');
select ok(not has_database_privilege('alice', 'throng', 'create'), 'nor schemas of her own');


-- Statements ---------------------------------------------------------------------------------------------------------

select is_denied(format('select * from throng.%I', relname))
from pg_class
where relnamespace = 'throng'::regnamespace and relkind in ('r', 'p') and not relispartition
order by relname;
select is_denied(statement)
from unnest(array[
    'explain select * from throng.counter',
    'analyze throng.counter',
    'copy throng.counter to stdout',
    $$ copy (select 1) to program 'true' $$,
    $$ copy (select 1) to '/tmp/throng-never' $$,
    $$ select pg_read_file('/etc/passwd') $$,
    $$ select pg_ls_dir('.') $$,
    $$ select pg_stat_file('PG_VERSION') $$,
    $$ select lo_import('/etc/passwd') $$,
    'select lo_create(0)',
    'create extension pg_trgm',
    'create extension pageinspect',
    'create temporary table mine (a integer)',
    'create table public.mine (a integer)',
    'create view analyst.mine as select 1',
    'create schema mine',
    $$ create function pg_temp.leak(bigint) returns boolean language plpgsql cost 0.0001 as 'begin return true; end' $$,
    $$ create function public.leak(bigint) returns boolean language plpgsql cost 0.0001 as 'begin return true; end' $$,
    'create or replace view analyst.salon_visits as select 1',
    'alter view analyst.salon_visits set (security_barrier = false)',
    'set role throng_reporter',
    'set role throng_ingest',
    'set role postgres',
    'set session authorization postgres',
    'select pg_advisory_lock(6073194562405269505)',
    'select pg_advisory_xact_lock(1414025799, 1)',
    'select pg_try_advisory_lock(1414025799, 1)',
    'select * from pg_locks',
    'select * from pg_stat_activity',
    'select * from pg_stat_all_tables',
    'select * from pg_stat_user_tables',
    'select * from pg_statio_all_tables',
    'select * from pg_stat_xact_all_tables',
    'select * from pg_stat_database',
    'select * from pg_stat_wal',
    'select * from pg_stat_replication',
    'select * from pg_replication_slots',
    'select * from pg_statistic',
    'select * from pg_statistic_ext_data',
    'select * from pg_largeobject',
    'select * from pg_authid',
    'select * from pg_class',
    'select reltuples from pg_class',
    'select pg_relation_size(oid) from pg_class',
    'select pg_total_relation_size(oid) from pg_class',
    'select pg_database_size(current_database())',
    'select pg_current_wal_lsn()',
    'select pg_current_xact_id()',
    'select pg_current_snapshot()',
    $$ select age('3'::xid) $$,
    $$ do 'begin lock table analyst.salon_visits in access exclusive mode; end' $$,
    $$ do 'begin lock table analyst.salon_visits in share mode; end' $$,
    'alter role alice set temp_file_limit = 1',
    'select throng.confine_analysts(false)',
    'select throng.publish_view(1, ''x'')',
    'vacuum throng.counter'
]) as statement;
select is_denied('delete from analyst.salon_visits', '55000');
select is_denied('update analyst.releases set k = 1', '55000');
select is_denied('select xmin from analyst.salon_visits', '42703');
select is_denied('select ctid from analyst.salon_visits', '42703');
select is_denied('select tableoid from analyst.releases', '42703');


-- Views --------------------------------------------------------------------------------------------------------------

select is_empty(
    $$ select c.relname, a.attname from pg_class as c join pg_attribute as a on a.attrelid = c.oid and attnum > 0
       where relnamespace = 'analyst'::regnamespace
           and coalesce(col_description(c.oid, attnum), '') !~ 'Unit: ' $$,
    'every column says what it is, in which unit');
select results_eq(
    $$ select distinct events, spent, devices, left(withheld, 9) from analyst.salon_visits where withheld like 'withheld%' $$,
    $$ values (null::bigint, null::numeric, null::bigint, 'withheld:') $$,
    'withheld rows differ in nothing');
select is_empty(
    $$ select 1 from analyst.salon_visits where withheld is null and (events is null or devices < 5 or events < 5) $$,
    'every number stands for k devices');
select results_eq(
    $$ select system, room from analyst.salon_visits where withheld = 'cannot occur' $$,
    $$ values ('plan9', 'attic') $$,
    'what the plan rules out says so');
select results_eq(
    $$ select system || room from analyst.salon_visits where margin = 'system, room' $$,
    $$ select system || room from
           (values (1, 'android'), (2, 'ios'), (3, 'linux'), (4, 'plan9'), (5, 'other')) as s (i, system),
           (values (1, 'hall'), (2, 'cellar'), (3, 'attic'), (4, 'other')) as r (j, room) order by i, j $$,
    'every combination of buckets is there, in the order of the plan');
select is_empty(
    $$ select line from tap.dblink('alice', 'explain (analyze, verbose) select * from analyst.salon_visits') as t (line text)
       where line ~ 'throng\.' and line !~ 'throng\.(release|released_cell|shown_margin|impossible_cell|metric_layout)\y' $$,
    'EXPLAIN names released tables only');

select * from finish();
