-- Whether an analyst's login finds the catalogues closed that throng.confine_analysts closes: one of each family.
-- Returns: one row, yes or no.
select not has_column_privilege('throng_analyst', 'pg_catalog.pg_class', 'reltuples', 'select')
    and not exists (
        select
        from unnest(array[
            'pg_stat_get_live_tuples(oid)', 'pg_relation_size(regclass, text)', 'pg_advisory_lock(bigint)',
            'pg_lock_status()', 'pg_blocking_pids(integer)', 'txid_current()', 'lo_create(oid)'
        ]) as signature
        where has_function_privilege('throng_analyst', to_regprocedure('pg_catalog.' || signature), 'execute')
    );
