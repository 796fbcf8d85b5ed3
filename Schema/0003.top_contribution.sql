-- What the dominance rule needs to know of sums: how much the two largest contributions were, never whose.

-- Not partitioned: it holds open periods only, the release deletes a period's rows, and retention those of periods that
-- nobody released.
create table throng.top_contribution (
    shard smallint not null default 0,
    metric_id integer not null,
    period_start timestamptz not null,
    margin integer not null,
    cell integer not null,
    measure smallint not null,
    window_number bigint not null,
    daemon uuid not null,
    counted_start timestamptz not null,
    largest bigint not null,
    second_largest bigint not null,
    constraint top_contribution_pkey primary key
        (shard, metric_id, period_start, margin, cell, measure, window_number, daemon, counted_start),
    constraint top_contribution_descends check (largest >= second_largest and second_largest >= 0)
) with (fillfactor = 50);
comment on table throng.top_contribution is 'The two largest contributions to a sum by cell and window: how much, never whose. Deleted by the release of the period.';
comment on column throng.top_contribution.shard is 'Distribution key; 0 while one PostgreSQL holds everything. Unit: none.';
comment on column throng.top_contribution.metric_id is 'The layout that gives the cell its meaning. Unit: none.';
comment on column throng.top_contribution.period_start is 'First second of the period that takes the counts. Unit: instant.';
comment on column throng.top_contribution.margin is 'Which dimensions are kept: bit i stands for dimension i. Unit: bit set.';
comment on column throng.top_contribution.cell is 'The cell of that margin. Unit: none.';
comment on column throng.top_contribution.measure is 'Which counter of the cell: i + 1 is sum i. Unit: none.';
comment on column throng.top_contribution.window_number is 'floor(unix time / rotation). Unit: windows.';
comment on column throng.top_contribution.daemon is 'The data directory that counted: each sees other identifiers. Unit: none.';
comment on column throng.top_contribution.counted_start is 'First second of the period under which it was counted: an earlier one than period_start, or a later one, where that was released before the flush. Unit: instant.';
comment on column throng.top_contribution.largest is 'What one identifier added in the window, at most; from the lowest value on where that is negative. Unit: 10^-decimals of the sum''s unit. Saturates.';
comment on column throng.top_contribution.second_largest is 'The same, of all others; 0 where there is none. Unit: 10^-decimals of the sum''s unit. Saturates.';

grant select, insert, update on throng.top_contribution to throng_ingest;
grant select, delete on throng.top_contribution to throng_reporter;
