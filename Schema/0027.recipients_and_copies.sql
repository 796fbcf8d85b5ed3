-- What people are told, and who receives numbers, was promised when they were counted, as how long they are kept was. And
-- copies of reports in folders go when their files here do.


-- What for, and for whom -----------------------------------------------------------------------------------------------

alter table throng.layout_promise
    add column explanation text,
    add column recipients text[];
comment on table throng.layout_promise is 'What each plan promised of a layout''s numbers: how long they are kept, what for, and who receives them; one row for each time that it promised something else. Rows go only with their app.';
comment on column throng.layout_promise.explanation is 'What people were told that it is counted for; null where nobody kept that. Unit: none.';
comment on column throng.layout_promise.recipients is 'Names of the partners whose reports show its numbers; null where nobody kept that. Unit: none.';

drop function throng.freeze_promise(integer, bigint, bigint[], text[]);
create function throng.freeze_promise(
    wanted_metric integer, wanted_since bigint, wanted_ages bigint[], wanted_actions text[], wanted_explanation text,
    wanted_recipients text[]
) returns void
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    instant constant timestamptz := to_timestamp(wanted_since);
    -- A layout that is so much older than its first promise was counted without any.
    patience constant interval := '1 minute';
    created timestamptz;
    last throng.layout_promise;
begin
    select layout.created_at
    into strict created
    from throng.metric_layout as layout
    where layout.metric_id = wanted_metric
    for update;
    select known.*
    into last
    from throng.layout_promise as known
    where known.metric_id = wanted_metric
    order by known.place desc
    limit 1;
    if last.place is not null
        and last.until is null
        and (last.ages, last.actions) = (wanted_ages, wanted_actions)
        and last.explanation is not distinct from wanted_explanation
        and last.recipients is not distinct from wanted_recipients
    then
        return;
    end if;
    update throng.layout_promise as known
    set until = instant
    where known.metric_id = wanted_metric
        and known.until is null;
    insert into throng.layout_promise (metric_id, place, since, ages, actions, explanation, recipients)
    values (
        wanted_metric, coalesce(last.place, 0) + 1,
        case when last.place is null and created < instant - patience then null else instant end,
        wanted_ages, wanted_actions, wanted_explanation, wanted_recipients);
end;
$$;
revoke all on function throng.freeze_promise(integer, bigint, bigint[], text[], text, text[]) from public;
grant execute on function throng.freeze_promise(integer, bigint, bigint[], text[], text, text[]) to throng_ingest;


-- Copies in folders ----------------------------------------------------------------------------------------------------

alter table throng.delivery drop constraint delivery_state_known;
alter table throng.delivery add constraint delivery_state_known
    check (state in ('pending', 'sent', 'failed', 'removed'));
comment on column throng.delivery.state is 'pending, sent, failed: given up, or removed: age took the copies from the folder. Unit: none.';
