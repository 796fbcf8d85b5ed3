-- What a metric asks of its releases is kept with its layout, so that a layout that the plan no longer has is released
-- under the terms under which it was counted. And a run of a report is told from others by the kind of its period, too: a
-- daily report that becomes weekly has a day and a week that start at the same instant.


-- Terms of layouts ---------------------------------------------------------------------------------------------------

alter table throng.metric_layout
    add column threshold bigint,
    add column sensitive text[],
    add column protection smallint,
    add constraint metric_layout_terms_together check (num_nulls(threshold, sensitive, protection) in (0, 3));
comment on column throng.metric_layout.threshold is 'k that the last plan with this layout asked for, tied metrics included; null where no plan said so. Unit: devices.';
comment on column throng.metric_layout.sensitive is 'Dimensions that the last plan with this layout called sensitive, of tied metrics too; null where no plan said so. Unit: none.';
comment on column throng.metric_layout.protection is 'p of the p % rule that the last plan with this layout asked for; null where no plan said so. Unit: percent.';

-- Keeps the terms of a registered layout, as the plan in force has them.
create function throng.keep_terms(
    wanted_metric integer, wanted_threshold bigint, wanted_sensitive text[], wanted_protection smallint
) returns void
language sql
security definer
set search_path = pg_catalog, pg_temp
as $$
    update throng.metric_layout
    set threshold = wanted_threshold,
        sensitive = wanted_sensitive,
        protection = wanted_protection
    where metric_id = wanted_metric
        and (threshold, sensitive, protection)
            is distinct from (wanted_threshold, wanted_sensitive, wanted_protection)
$$;
revoke all on function throng.keep_terms(integer, bigint, text[], smallint) from public;
grant execute on function throng.keep_terms(integer, bigint, text[], smallint) to throng_ingest;


-- Kinds of periods in the keys of runs -------------------------------------------------------------------------------

alter table throng.delivered_file drop constraint delivered_file_delivery;
alter table throng.delivery drop constraint delivery_run;
alter table throng.run_file drop constraint run_file_run;

comment on table throng.report_run is 'Scheduled runs of reports: one row a report, kind of period and period, so that a run is made once.';
alter table throng.report_run drop constraint report_run_pkey;
alter table throng.report_run add constraint report_run_pkey primary key (app, report, period_kind, period_start);

alter table throng.run_file add column period_kind smallint;
alter table throng.delivery add column period_kind smallint;
alter table throng.delivered_file add column period_kind smallint;
update throng.run_file as f
set period_kind = r.period_kind
from throng.report_run as r
where (r.app, r.report, r.period_start) = (f.app, f.report, f.period_start);
update throng.delivery as d
set period_kind = r.period_kind
from throng.report_run as r
where (r.app, r.report, r.period_start) = (d.app, d.report, d.period_start);
update throng.delivered_file as f
set period_kind = r.period_kind
from throng.report_run as r
where (r.app, r.report, r.period_start) = (f.app, f.report, f.period_start);
alter table throng.run_file alter column period_kind set not null;
alter table throng.delivery alter column period_kind set not null;
alter table throng.delivered_file alter column period_kind set not null;
comment on column throng.run_file.period_kind is 'What its run covers: 0 hour, 1 day, 2 week, 3 month. Unit: none.';
comment on column throng.delivery.period_kind is 'What its run covers: 0 hour, 1 day, 2 week, 3 month. Unit: none.';
comment on column throng.delivered_file.period_kind is 'What its run covers: 0 hour, 1 day, 2 week, 3 month. Unit: none.';

alter table throng.run_file
    drop constraint run_file_pkey,
    drop constraint run_file_name_once;
alter table throng.run_file
    add constraint run_file_pkey primary key (app, report, period_kind, period_start, place),
    add constraint run_file_name_once unique (app, report, period_kind, period_start, name),
    add constraint run_file_run
        foreign key (app, report, period_kind, period_start) references throng.report_run;
alter table throng.delivery drop constraint delivery_pkey;
alter table throng.delivery
    add constraint delivery_pkey primary key (app, report, period_kind, period_start, target),
    add constraint delivery_run
        foreign key (app, report, period_kind, period_start) references throng.report_run;
alter table throng.delivered_file drop constraint delivered_file_pkey;
alter table throng.delivered_file
    add constraint delivered_file_pkey primary key (app, report, period_kind, period_start, target, place),
    add constraint delivered_file_delivery
        foreign key (app, report, period_kind, period_start, target) references throng.delivery;
