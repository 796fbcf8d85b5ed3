-- Keeps firsts that devices proved; one that is there already, and one of a period that was released, changes nothing. Sorted by the
-- key, so that nobody waits in a circle.
-- $1 metrics: integer[], the schema's numbers of layouts, one a first.
-- $2 kinds: smallint[], 0 hour, 1 day, 2 week, 3 month.
-- $3 starts: bigint[], Unix seconds; the first seconds of the periods.
-- $4 margins: integer[], bit sets.
-- $5 cells: integer[], cells of these margins.
-- $6 tags: text, 32 hexadecimal digits each, separated by commas.
-- $7 own: smallint[], 1 where the length of time is that of the layout's counters, else 0.
-- Returns: no rows.
insert into throng.proved_first (metric_id, period_kind, period_start, margin, cell, tag)
select new.metric_id,
    new.period_kind,
    to_timestamp(new.unix_seconds),
    new.margin,
    new.cell,
    decode(new.tag, 'hex')
from unnest(
    $1::integer[], $2::smallint[], $3::bigint[], $4::integer[], $5::integer[], string_to_array($6, ','), $7::smallint[]
) as new (metric_id, period_kind, unix_seconds, margin, cell, tag, own)
where new.own = 0
    or not exists (
        select
        from throng.closed_period as closed
        where closed.metric_id = new.metric_id
            and closed.period_start = to_timestamp(new.unix_seconds)
    )
order by new.metric_id, new.period_kind, new.unix_seconds, new.tag
on conflict do nothing;
