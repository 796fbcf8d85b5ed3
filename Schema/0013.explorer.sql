-- Analysts may sign in to pages, too, and find there which buckets a dimension has.

alter table throng.access_token drop constraint access_token_role_known;
alter table throng.access_token add constraint access_token_role_known
    check (role in ('partner', 'operator', 'analyst'));
comment on column throng.access_token.role is 'partner, operator or analyst. Unit: none.';

-- Whatever the plan or a release says about it in public; nothing that was counted. A learned label has no place: slots
-- are given out in the order of learning, and that is nobody's business.
--
-- Behind each fence (offset 0) a layout is parsed once, and not once a bucket.
create view analyst.buckets with (security_barrier) as
select l.app,
    l.metric,
    l.view_name::text as view_name,
    d.name as dimension,
    b.ordinality::integer as place,
    b.value as bucket
from throng.metric_layout as l
cross join lateral (
    select value ->> 'name' as name,
        value -> 'labels' as labels
    from json_array_elements(l.layout -> 'dimensions')
    where value ->> 'rule' not like 'revealed %'
    offset 0
) as d
cross join lateral json_array_elements_text(d.labels) with ordinality as b
union all
select l.app,
    l.metric,
    l.view_name::text,
    d.name,
    null::integer,
    s.label
from throng.metric_layout as l
cross join lateral (
    select value ->> 'name' as name,
        ordinality - 1 as place
    from json_array_elements(l.layout -> 'dimensions') with ordinality
    where value ->> 'rule' like 'revealed %'
    offset 0
) as d
cross join lateral (
    select distinct known.label
    from throng.release as r
    join throng.shown_label as known using (release_id)
    where r.metric_id = l.metric_id
        and known.place = d.place
) as s;
comment on view analyst.buckets is 'The buckets of each view''s dimensions: what its columns can hold besides (all).';
comment on column analyst.buckets.app is 'Name of the app. Unit: none.';
comment on column analyst.buckets.metric is 'Name of the metric. Unit: none.';
comment on column analyst.buckets.view_name is 'The view in this schema. Unit: none.';
comment on column analyst.buckets.dimension is 'Name of the dimension, as in analyst.metrics. Unit: none.';
comment on column analyst.buckets.place is 'Where it stands in the plan''s order; null where labels are learned, which have no order. Unit: buckets, from 1.';
comment on column analyst.buckets.bucket is 'What the dimension''s column says. Unit: none.';
grant select on analyst.buckets to throng_analyst;

-- The daemon answers analysts' pages as throng_analyst and nothing else.
do $$
begin
    if not (select rolsuper from pg_catalog.pg_roles where rolname = current_user) then
        execute format('grant throng_analyst to %I', current_user);
    end if;
exception
    when insufficient_privilege then
        raise warning 'not done, it needs more rights: grant throng_analyst to %', current_user;
end
$$;
