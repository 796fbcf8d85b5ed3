-- Labels of revealed dimensions: values that at least k devices sent within one window, learned while counting goes on.
-- Counters know slots; a label says what a slot is called from now on.

create table throng.revealed_label (
    app text not null,
    dimension text not null,
    slot integer not null,
    label text not null,
    learned_at timestamptz not null default now(),
    published_at timestamptz,
    retired_at timestamptz,
    constraint revealed_label_pkey primary key (app, dimension, slot),
    constraint revealed_label_unique unique (app, dimension, label),
    constraint revealed_label_slot_fits check (slot between 0 and 4094),
    constraint revealed_label_fits check (octet_length(label) between 1 and 64)
);
comment on table throng.revealed_label is 'Values that at least k devices sent within one window, and the buckets that they got. None of fewer devices is ever here.';
comment on column throng.revealed_label.app is 'Name of the app. Unit: none.';
comment on column throng.revealed_label.dimension is 'Name of the dimension. Unit: none.';
comment on column throng.revealed_label.slot is 'Its bucket: the place among the dimension''s labels in layouts. Unit: none.';
comment on column throng.revealed_label.label is 'The value. Unit: none.';
comment on column throng.revealed_label.learned_at is 'When it was learned, or learned again. Unit: instant.';
comment on column throng.revealed_label.published_at is 'When a release last published a number of it, to the day. Unit: instant.';
comment on column throng.revealed_label.retired_at is 'Since when nothing is counted under it; it only names what was. Unit: instant.';

-- Learns a label and returns its slot; null where every slot has one. Whichever daemon is the first decides for all.
--
-- A label begins to look for a free slot where its hash says: one that was lost with a database that had to be restored
-- most likely comes back to where counters know it.
create function throng.learn_label(wanted_app text, wanted_dimension text, most integer, wanted text) returns integer
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    start integer;
    found integer;
begin
    perform pg_advisory_xact_lock(
        hashtextextended('throng labels of ' || wanted_app || ' ' || wanted_dimension, 0));
    update throng.revealed_label as known
    set retired_at = null,
        learned_at = case when retired_at is null then learned_at else now() end
    where known.app = wanted_app
        and known.dimension = wanted_dimension
        and known.label = wanted
    returning known.slot into found;
    if found is not null then
        return found;
    end if;
    start := (hashtextextended(wanted, 0) % most + most) % most;
    select free into found
    from generate_series(0, most - 1) as free
    where not exists (
        select from throng.revealed_label as known
        where known.app = wanted_app
            and known.dimension = wanted_dimension
            and known.slot = free
    )
    order by (free - start + most) % most
    limit 1;
    if found is not null then
        insert into throng.revealed_label (app, dimension, slot, label)
        values (wanted_app, wanted_dimension, found, wanted);
    end if;
    return found;
end
$$;

-- Puts a label back that a daemon counts by and the database has lost; false where something else has its slot by now.
create function throng.restore_label(wanted_app text, wanted_dimension text, wanted_slot integer, wanted text)
returns boolean
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    perform pg_advisory_xact_lock(
        hashtextextended('throng labels of ' || wanted_app || ' ' || wanted_dimension, 0));
    insert into throng.revealed_label (app, dimension, slot, label)
    values (wanted_app, wanted_dimension, wanted_slot, wanted)
    on conflict do nothing;
    return exists (
        select from throng.revealed_label as known
        where known.app = wanted_app
            and known.dimension = wanted_dimension
            and known.slot = wanted_slot
            and known.label = wanted
    );
end
$$;

revoke all on throng.revealed_label from public;
revoke all on function
    throng.learn_label(text, text, integer, text),
    throng.restore_label(text, text, integer, text)
from public;
grant select on throng.revealed_label to throng_ingest;
grant execute on function
    throng.learn_label(text, text, integer, text),
    throng.restore_label(text, text, integer, text)
to throng_ingest;
grant select, update (published_at, retired_at), delete on throng.revealed_label to throng_reporter;
