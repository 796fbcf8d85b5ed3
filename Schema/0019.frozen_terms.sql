-- What a plan asks of a metric's releases holds for all that was counted under it, whatever the plan says when that is
-- released. So it is kept from when to when each plan was in force, not only what the last one asked.

create table throng.layout_terms (
    metric_id integer not null,
    place integer not null,
    since timestamptz,
    until timestamptz,
    threshold bigint not null,
    sensitive text[] not null,
    protection smallint not null,
    events text[] not null,
    needs_consent boolean,
    refused_by text[] not null,
    constraint layout_terms_pkey primary key (metric_id, place),
    constraint layout_terms_metric_fkey foreign key (metric_id) references throng.metric_layout
);
comment on table throng.layout_terms is 'What each plan asked of a layout''s releases, one row for each time that it asked something else. Rows are never deleted.';
comment on column throng.layout_terms.metric_id is 'The layout. Unit: none.';
comment on column throng.layout_terms.place is 'Counts from 1 in each layout. Unit: none.';
comment on column throng.layout_terms.since is 'When a daemon first started with it; null where the layout was counted before anybody kept terms. Unit: instant.';
comment on column throng.layout_terms.until is 'When a daemon first started with another plan; null for the one in force. Unit: instant.';
comment on column throng.layout_terms.threshold is 'k, tied metrics included. Unit: devices.';
comment on column throng.layout_terms.sensitive is 'Dimensions called sensitive, those of tied metrics too. Unit: none.';
comment on column throng.layout_terms.protection is 'p of the p % rule. Unit: percent.';
comment on column throng.layout_terms.events is 'The events that were counted; none where numbers carry noise. Unit: none.';
comment on column throng.layout_terms.needs_consent is 'Whether the purpose asked for consent; null where it was not in the plan. Unit: none.';
comment on column throng.layout_terms.refused_by is 'The signals by which the purpose could be refused. Unit: none.';
grant select on throng.layout_terms to throng_reporter;

-- Keeps what the plan in force asks of a registered layout, and since when; returns that. Nothing happens where the plan
-- before it asked the same.
create function throng.freeze_terms(
    wanted_metric integer, wanted_since bigint, wanted_threshold bigint, wanted_sensitive text[],
    wanted_protection smallint, wanted_events text[], wanted_needs_consent boolean, wanted_refused_by text[]
) returns table (frozen_since bigint, is_edited boolean)
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    -- Whole seconds, and one instant for all metrics of a plan: they come into force together.
    instant constant timestamptz
        := coalesce(to_timestamp(wanted_since), date_trunc('second', clock_timestamp()));
    -- A layout that is so much older than its first terms was counted without any.
    patience constant interval := '1 minute';
    created timestamptz;
    last throng.layout_terms;
begin
    -- Two daemons that start at the same time keep one row.
    select layout.created_at
    into strict created
    from throng.metric_layout as layout
    where layout.metric_id = wanted_metric
    for update;
    select known.*
    into last
    from throng.layout_terms as known
    where known.metric_id = wanted_metric
    order by known.place desc
    limit 1;
    frozen_since := extract(epoch from instant)::bigint;
    is_edited := last.place is not null
        and (last.threshold, last.sensitive, last.protection, last.events, last.needs_consent, last.refused_by)
            is distinct from (
                wanted_threshold, wanted_sensitive, wanted_protection, wanted_events, wanted_needs_consent,
                wanted_refused_by);
    if last.place is null or last.until is not null or is_edited then
        update throng.layout_terms as known
        set until = instant
        where known.metric_id = wanted_metric
            and known.until is null;
        insert into throng.layout_terms (
            metric_id, place, since, threshold, sensitive, protection, events, needs_consent, refused_by)
        values (
            wanted_metric, coalesce(last.place, 0) + 1,
            case when last.place is null and created < instant - patience then null else instant end,
            wanted_threshold, wanted_sensitive, wanted_protection, wanted_events, wanted_needs_consent,
            wanted_refused_by);
    end if;
    return next;
end;
$$;
revoke all on function throng.freeze_terms(integer, bigint, bigint, text[], smallint, text[], boolean, text[]) from public;
grant execute on function throng.freeze_terms(integer, bigint, bigint, text[], smallint, text[], boolean, text[]) to throng_ingest;

-- Ends the terms of layouts that the plan in force no longer has: all of the apps of these layouts but themselves.
create function throng.retire_terms(kept integer[], ended bigint) returns void
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
    update throng.layout_terms as terms
    set until = to_timestamp(ended)
    from throng.metric_layout as layout
    where layout.metric_id = terms.metric_id
        and terms.until is null
        and terms.metric_id <> all (kept)
        and layout.app in (
            select mine.app
            from throng.metric_layout as mine
            where mine.metric_id = any (kept)
        )
$$;
revoke all on function throng.retire_terms(integer[], bigint) from public;
grant execute on function throng.retire_terms(integer[], bigint) to throng_ingest;
