-- A copy of a daemon's data directory does not know which windows the daemon closed after it was made. It closes none of
-- them again, whatever clock they were closed by: how far closings went is beside the watermark that has them.

create table throng.window_closing (
    shard smallint not null default 0,
    daemon uuid not null,
    position bigint not null,
    ended bigint not null,
    constraint window_closing_pkey primary key (shard, daemon, position)
);
comment on table throng.window_closing is 'Until when each daemon''s windows were closed. A row that a later one reaches beyond is gone: there is one, and more only after a clock that was ahead.';
comment on column throng.window_closing.shard is 'The shard whose counters have the closings. Unit: none.';
comment on column throng.window_closing.daemon is 'The data directory that owns the journal. Unit: none.';
comment on column throng.window_closing.position is 'The closings are in the journal up to this place. Unit: batches.';
comment on column throng.window_closing.ended is 'When the latest of the windows was over, by the clock that closed it, which may show years that no instant reaches. Unit: Unix seconds.';
grant select on throng.window_closing to throng_ingest;

-- Notes until when windows were closed with a flush; rows that this one reaches beyond go.
create function throng.close_windows(wanted_daemon uuid, wanted_position bigint, wanted_ended bigint) returns void
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
    delete from throng.window_closing
    where shard = 0
        and daemon = wanted_daemon
        and ended <= wanted_ended;
    insert into throng.window_closing (daemon, position, ended)
    values (wanted_daemon, wanted_position, wanted_ended);
$$;
revoke all on function throng.close_windows(uuid, bigint, bigint) from public;
grant execute on function throng.close_windows(uuid, bigint, bigint) to throng_ingest;
