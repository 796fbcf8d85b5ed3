-- Where a flush lands before the upsert; made once a connection, emptied by every commit.
-- Returns: no rows.
create temporary table if not exists pending_counter (
    period_kind smallint not null,
    period_start timestamptz not null,
    metric_id integer not null,
    measure smallint not null,
    cell integer not null,
    delta bigint not null
) on commit delete rows;

create temporary table if not exists pending_distinct (
    period_kind smallint not null,
    period_start timestamptz not null,
    metric_id integer not null,
    margin integer not null,
    cell integer not null,
    window_number bigint not null,
    delta bigint not null
) on commit delete rows;
