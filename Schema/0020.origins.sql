-- Two dimensions of other names or buckets may be made from one field, and then numbers of the one bound those of the other.
-- A layout has no more of its rules than their fingerprints. So what its dimensions are made from is kept with its terms: a
-- plan may give one layout another field.

alter table throng.layout_terms add column origins jsonb;
comment on column throng.layout_terms.origins is 'By base dimension the field and the rule that it is made from; null where no daemon that keeps them has started with the plan, and dimensions are the same by name and buckets only. Unit: none.';

-- As before, and what the dimensions are made from. Terms that were kept without that and ask the same take it over.
drop function throng.freeze_terms(integer, bigint, bigint, text[], smallint, text[], boolean, text[]);
create function throng.freeze_terms(
    wanted_metric integer, wanted_since bigint, wanted_threshold bigint, wanted_sensitive text[],
    wanted_protection smallint, wanted_events text[], wanted_needs_consent boolean, wanted_refused_by text[],
    wanted_origins jsonb
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
        and (last.threshold, last.sensitive, last.protection, last.events, last.needs_consent, last.refused_by,
            coalesce(last.origins, wanted_origins))
            is distinct from (
                wanted_threshold, wanted_sensitive, wanted_protection, wanted_events, wanted_needs_consent,
                wanted_refused_by, wanted_origins);
    if last.place is null or last.until is not null or is_edited then
        update throng.layout_terms as known
        set until = instant
        where known.metric_id = wanted_metric
            and known.until is null;
        insert into throng.layout_terms (
            metric_id, place, since, threshold, sensitive, protection, events, needs_consent, refused_by, origins)
        values (
            wanted_metric, coalesce(last.place, 0) + 1,
            case when last.place is null and created < instant - patience then null else instant end,
            wanted_threshold, wanted_sensitive, wanted_protection, wanted_events, wanted_needs_consent,
            wanted_refused_by, wanted_origins);
    elsif last.origins is null then
        update throng.layout_terms as known
        set origins = wanted_origins
        where known.metric_id = wanted_metric
            and known.place = last.place;
    end if;
    return next;
end;
$$;
revoke all on function throng.freeze_terms(integer, bigint, bigint, text[], smallint, text[], boolean, text[], jsonb) from public;
grant execute on function throng.freeze_terms(integer, bigint, bigint, text[], smallint, text[], boolean, text[], jsonb) to throng_ingest;
