-- A report's run is made once: its files are kept as they were made and signed, so that every delivery, also one by
-- another daemon after a crash, carries the same bytes under the same idempotency key.

alter table throng.report_run add column label text;
comment on column throng.report_run.label is 'What it covers, as file names have it; null in runs of earlier versions. Unit: none.';
alter table throng.report_run drop constraint report_run_outcome_known;
alter table throng.report_run add constraint report_run_outcome_known
    check (outcome in ('running', 'made', 'delivered', 'undelivered', 'failed'));
alter table throng.report_run drop constraint report_run_finished_when_over;
alter table throng.report_run add constraint report_run_finished_when_over
    check ((outcome in ('running', 'made')) = (finished_at is null));
comment on column throng.report_run.outcome is 'running, made (deliveries are under way), delivered, undelivered (a delivery was given up), or failed (it could not be made). Unit: none.';

create table throng.run_file (
    app text not null,
    report text not null,
    period_start timestamptz not null,
    place smallint not null,
    name text not null,
    contents bytea not null,
    constraint run_file_pkey primary key (app, report, period_start, place),
    constraint run_file_name_once unique (app, report, period_start, name),
    constraint run_file_run foreign key (app, report, period_start) references throng.report_run
);
comment on table throng.run_file is 'The files of runs, as they were made: released numbers only.';
comment on column throng.run_file.app is 'Name of the app. Unit: none.';
comment on column throng.run_file.report is 'Name of the report. Unit: none.';
comment on column throng.run_file.period_start is 'First second of what it covers. Unit: instant.';
comment on column throng.run_file.place is 'In which order files are delivered, the manifest last. Unit: none, from 0.';
comment on column throng.run_file.name is 'Its name without a folder. Unit: none.';
comment on column throng.run_file.contents is 'Its bytes. Unit: none.';

create table throng.delivery (
    app text not null,
    report text not null,
    period_start timestamptz not null,
    target text not null,
    authorization_name text,
    idempotency_key bytea not null,
    state text not null default 'pending',
    attempts integer not null default 0,
    next_at timestamptz not null,
    leased_until timestamptz,
    last_error text,
    finished_at timestamptz,
    constraint delivery_pkey primary key (app, report, period_start, target),
    constraint delivery_run foreign key (app, report, period_start) references throng.report_run,
    constraint delivery_state_known check (state in ('pending', 'sent', 'failed')),
    constraint delivery_finished_when_over check ((state = 'pending') = (finished_at is null)),
    constraint delivery_key_is_sha256 check (length(idempotency_key) = 32)
);
create index delivery_due on throng.delivery (next_at) where state = 'pending';
comment on table throng.delivery is 'Where each run goes, and how far that is.';
comment on column throng.delivery.app is 'Name of the app. Unit: none.';
comment on column throng.delivery.report is 'Name of the report. Unit: none.';
comment on column throng.delivery.period_start is 'First second of what it covers. Unit: instant.';
comment on column throng.delivery.target is 'folder, put or post, a space, and where. Unit: none.';
comment on column throng.delivery.authorization_name is 'Which secret of the operator goes with it; null for none. Never the secret. Unit: none.';
comment on column throng.delivery.idempotency_key is 'SHA-256 over app, report, period, target and files: the same for every try. Unit: none.';
comment on column throng.delivery.state is 'pending, sent, or failed: given up. Unit: none.';
comment on column throng.delivery.attempts is 'Tries that were begun; only the last one may finish it. Unit: tries.';
comment on column throng.delivery.next_at is 'Not tried before. Unit: instant.';
comment on column throng.delivery.leased_until is 'Until then it belongs to whoever began the last try; null where nobody is at it. Unit: instant.';
comment on column throng.delivery.last_error is 'Why the last try failed; no numbers of the report and no secret. Unit: none.';
comment on column throng.delivery.finished_at is 'When it was sent or given up; null while pending. Unit: instant.';

create table throng.delivered_file (
    app text not null,
    report text not null,
    period_start timestamptz not null,
    target text not null,
    place smallint not null,
    status smallint,
    delivered_at timestamptz not null,
    constraint delivered_file_pkey primary key (app, report, period_start, target, place),
    constraint delivered_file_delivery foreign key (app, report, period_start, target)
        references throng.delivery
);
comment on table throng.delivered_file is 'Files that arrived, so that they are not sent again when a delivery goes on.';
comment on column throng.delivered_file.app is 'Name of the app. Unit: none.';
comment on column throng.delivered_file.report is 'Name of the report. Unit: none.';
comment on column throng.delivered_file.period_start is 'First second of what it covers. Unit: instant.';
comment on column throng.delivered_file.target is 'Where it arrived, as in delivery. Unit: none.';
comment on column throng.delivered_file.place is 'Which file, as in run_file. Unit: none, from 0.';
comment on column throng.delivered_file.status is 'What HTTP answered; null in folders. Unit: none.';
comment on column throng.delivered_file.delivered_at is 'When. Unit: instant.';

create table throng.coverage (
    app text not null,
    hour timestamptz not null,
    kind text not null,
    events bigint not null,
    constraint coverage_pkey primary key (app, hour, kind),
    constraint coverage_on_the_hour check (extract(epoch from hour)::bigint % 3600 = 0)
);
comment on table throng.coverage is 'What became of the events that clients sent: totals of a whole app, about nobody.';
comment on column throng.coverage.app is 'Name of the app. Unit: none.';
comment on column throng.coverage.hour is 'The hour in which the window of their batch began. Unit: instant.';
comment on column throng.coverage.kind is 'accepted, late (counted into a later period, once a metric), or why they were refused. Unit: none.';
comment on column throng.coverage.events is 'How many. Unit: events.';

grant select, insert, delete on throng.run_file to throng_reporter;
grant select, insert on throng.delivery, throng.delivered_file to throng_reporter;
grant update (state, attempts, next_at, leased_until, last_error, finished_at) on throng.delivery to throng_reporter;
grant select, insert, update on throng.coverage to throng_ingest;
grant select, delete on throng.coverage to throng_reporter;
