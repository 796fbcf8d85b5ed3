-- Noise: which releases carry it, what it cost, and what was drawn.
--
-- The order that throng.noise_draw.stage follows is that of ThrongNoise's BudgetLedger. Four transactions:
--   1. The period is closed, so that its counters change no more.
--   2. The purpose's noise_budget rows locked "for update", noise_draw inserted at stage 0, spent raised. Committed
--      before the first coin is flipped.
--   3. noise_cell copied, stage 0 to 1 and the digest set. Committed before anyone sees a value.
--   4. throng.release and throng.released_cell filled from noise_cell, stage 1 to 2, noise_cell emptied: one
--      transaction, so that "published" and the release can't part.
-- A row found at stage 0 by a process that did not insert it is lost: it stays, and it stays paid.


-- Which releases are exact and which are noisy -----------------------------------------------------------------------

-- One row per metric and period decides for good. The two foreign keys that carry "kind" make it impossible to have
-- both, whatever a program does: an exact number beside a noisy one gives the noise away.
create table throng.release_kind (
    app text not null,
    metric text not null,
    period_kind smallint not null,
    period_start timestamptz not null,
    kind smallint not null,
    metric_id integer,
    constraint release_kind_pkey primary key (app, metric, period_kind, period_start),
    constraint release_kind_with_kind unique (app, metric, period_kind, period_start, kind),
    constraint release_kind_period_kind_known check (period_kind between 0 and 3),
    constraint release_kind_kind_known check (kind in (0, 1)),
    constraint release_kind_metric_fkey foreign key (metric_id) references throng.metric_layout,
    constraint release_kind_noisy_has_layout check ((kind = 1) = (metric_id is not null))
);
comment on table throng.release_kind is 'Whether a metric''s period is released exactly or with noise; never both, never changed. By name, not by layout: a new layout of the same metric is the same promise.';
comment on column throng.release_kind.app is 'Name of the app. Unit: none.';
comment on column throng.release_kind.metric is 'Name of the metric. Unit: none.';
comment on column throng.release_kind.period_kind is 'What it covers: 0 hour, 1 day, 2 week, 3 month. Unit: none.';
comment on column throng.release_kind.period_start is 'First second of the period. Unit: instant.';
comment on column throng.release_kind.kind is '0 exact with cells withheld, 1 every declared cell with noise. Unit: none.';
comment on column throng.release_kind.metric_id is 'Where noisy: the layout in force when the period began, which alone is released. Unit: none.';

-- Noisy rows are made by the calendar, when a period begins, whether or not anything is counted in it: driven by
-- counters, the existence of a release would be an exact bit. Exact rows are made by their release.
insert into throng.release_kind (app, metric, period_kind, period_start, kind)
select distinct app, metric, period_kind, period_start, 0
from throng.release;

alter table throng.release
    add column kind_of_release smallint not null default 0,
    add constraint release_kind_fkey foreign key (app, metric, period_kind, period_start, kind_of_release)
        references throng.release_kind (app, metric, period_kind, period_start, kind);
comment on column throng.release.kind_of_release is '0 exact, 1 noisy, as its header says. Unit: none.';
comment on column throng.release.threshold is 'k: how many devices each number stands for at least; 0 where each carries noise instead. Unit: devices.';

-- The header decides, so that no program can call a noisy release exact or the other way round.
create function throng.release_takes_its_kind() returns trigger
language plpgsql
set search_path = ''
as $$
begin
    new.kind_of_release := case when new.header ->> 'noise' is null then 0 else 1 end;
    if new.kind_of_release = 0 then
        insert into throng.release_kind (app, metric, period_kind, period_start, kind)
        values (new.app, new.metric, new.period_kind, new.period_start, 0)
        on conflict (app, metric, period_kind, period_start) do nothing;
    end if;
    return new;
end
$$;
create trigger release_takes_its_kind
before insert on throng.release
for each row execute function throng.release_takes_its_kind();

create trigger release_kind_never_changes
before update or delete or truncate on throng.release_kind
for each statement execute function throng.refuse_change();


-- Budgets ------------------------------------------------------------------------------------------------------------

-- Fractions are two numerics: exact, and 39 digits hold 2^127. PostgreSQL's numeric has no limit that products of two
-- of them could meet, so the check below is exact as well.
create table throng.noise_budget (
    app text not null,
    purpose text not null,
    slot_start timestamptz not null,
    slot_end timestamptz not null,
    currency smallint not null,
    total_numerator numeric(39, 0) not null,
    total_denominator numeric(39, 0) not null,
    spent_numerator numeric(39, 0) not null default 0,
    spent_denominator numeric(39, 0) not null default 1,
    -- A budget that changes its span or its currency starts another row; the daemon charges it with what was drawn.
    constraint noise_budget_pkey primary key (app, purpose, slot_start, slot_end, currency),
    constraint noise_budget_slot_ascends check (slot_start < slot_end),
    constraint noise_budget_currency_known check (currency in (0, 1)),
    constraint noise_budget_total_positive check (total_numerator > 0 and total_denominator > 0),
    constraint noise_budget_spent_not_negative check (spent_numerator >= 0 and spent_denominator > 0),
    constraint noise_budget_reduced check (
        gcd(total_numerator, total_denominator) = 1 and gcd(spent_numerator, spent_denominator) = 1
    ),
    -- The daemon refuses first; this is for the day on which it has a bug.
    constraint noise_budget_not_exceeded check (
        spent_numerator * total_denominator <= total_numerator * spent_denominator
    )
);
comment on table throng.noise_budget is 'What the noisy releases of a purpose may cost and have cost, by slot of time. Locked by row while a release is reserved. Rows are never deleted: a budget that is forgotten is spent twice.';
comment on column throng.noise_budget.app is 'Name of the app. Unit: none.';
comment on column throng.noise_budget.purpose is 'Name of the purpose. Unit: none.';
comment on column throng.noise_budget.slot_start is 'First second of the slot, in the app''s time zone; 1970 where the budget is for the purpose''s whole life. Unit: instant.';
comment on column throng.noise_budget.slot_end is 'First second after the slot; the end of the year 9999 for the whole life. Unit: instant.';
comment on column throng.noise_budget.currency is '0 epsilon, 1 rho. Unit: none.';
comment on column throng.noise_budget.total_numerator is 'Of what may be spent. Unit: the currency''s.';
comment on column throng.noise_budget.total_denominator is 'Of what may be spent. Unit: none.';
comment on column throng.noise_budget.spent_numerator is 'Of what is spent, lost releases included. Unit: the currency''s.';
comment on column throng.noise_budget.spent_denominator is 'Of what is spent. Unit: none.';


-- Draws --------------------------------------------------------------------------------------------------------------

create table throng.noise_draw (
    draw_id bigint generated always as identity,
    metric_id integer not null,
    app text not null,
    metric text not null,
    purpose text not null,
    period_kind smallint not null,
    period_start timestamptz not null,
    period_end timestamptz not null,
    kind smallint not null default 1,
    slots timestamptz[] not null,
    mechanism smallint not null,
    parameter_numerator numeric(39, 0) not null,
    parameter_denominator numeric(39, 0) not null,
    cost_numerator numeric(39, 0) not null,
    cost_denominator numeric(39, 0) not null,
    cells integer not null,
    header json not null,
    stage smallint not null default 0,
    digest bytea,
    reserved_at timestamptz not null default transaction_timestamp(),
    drawn_at timestamptz,
    published_at timestamptz,
    constraint noise_draw_pkey primary key (draw_id),
    -- The one row that two daemons race for; the loser's reservation fails and draws nothing.
    constraint noise_draw_once unique (app, metric, period_kind, period_start),
    constraint noise_draw_metric_fkey foreign key (metric_id) references throng.metric_layout,
    constraint noise_draw_kind_fkey foreign key (app, metric, period_kind, period_start, kind)
        references throng.release_kind (app, metric, period_kind, period_start, kind),
    constraint noise_draw_is_noisy check (kind = 1),
    constraint noise_draw_period_ascends check (period_start < period_end),
    constraint noise_draw_slots_named check (cardinality(slots) > 0),
    constraint noise_draw_mechanism_known check (mechanism in (0, 1)),
    constraint noise_draw_parameter_positive check (parameter_numerator > 0 and parameter_denominator > 0),
    constraint noise_draw_cost_positive check (cost_numerator > 0 and cost_denominator > 0),
    constraint noise_draw_reduced check (
        gcd(parameter_numerator, parameter_denominator) = 1 and gcd(cost_numerator, cost_denominator) = 1
    ),
    constraint noise_draw_cells_positive check (cells > 0),
    constraint noise_draw_stage_known check (stage in (0, 1, 2)),
    constraint noise_draw_digest_from_stage_1 check ((stage > 0) = (digest is not null)),
    constraint noise_draw_digest_is_sha256 check (octet_length(digest) = 32),
    constraint noise_draw_drawn_at_from_stage_1 check ((stage > 0) = (drawn_at is not null)),
    constraint noise_draw_published_at_at_stage_2 check ((stage = 2) = (published_at is not null))
);
comment on table throng.noise_draw is 'Noise of one metric and period: paid, drawn once, published as drawn. Rows only move forward and are never deleted.';
comment on column throng.noise_draw.draw_id is 'Short name in noise_cell. Unit: none.';
comment on column throng.noise_draw.metric_id is 'The layout. Unit: none.';
comment on column throng.noise_draw.app is 'Name of the app. Unit: none.';
comment on column throng.noise_draw.metric is 'Name of the metric. Unit: none.';
comment on column throng.noise_draw.purpose is 'Whose budget pays. Unit: none.';
comment on column throng.noise_draw.period_kind is 'What it covers: 0 hour, 1 day, 2 week, 3 month. Unit: none.';
comment on column throng.noise_draw.period_start is 'First second of the period. Unit: instant.';
comment on column throng.noise_draw.period_end is 'First second after the period. Unit: instant.';
comment on column throng.noise_draw.kind is 'Always 1: ties the row to a noisy release. Unit: none.';
comment on column throng.noise_draw.slots is 'slot_start of every budget row that it is charged to. Unit: instants.';
comment on column throng.noise_draw.mechanism is '0 discrete Laplace, 1 discrete Gaussian. Unit: none.';
comment on column throng.noise_draw.parameter_numerator is 'Of epsilon or rho, for the whole release. Unit: the mechanism''s.';
comment on column throng.noise_draw.parameter_denominator is 'Of epsilon or rho. Unit: none.';
comment on column throng.noise_draw.cost_numerator is 'Of what was charged, in the budget''s currency. Unit: that.';
comment on column throng.noise_draw.cost_denominator is 'Of what was charged. Unit: none.';
comment on column throng.noise_draw.cells is 'Cells of all groupings of the declared universe. Unit: cells.';
comment on column throng.noise_draw.header is 'Header of the release, fixed before anything was drawn: JSON. Unit: none.';
comment on column throng.noise_draw.stage is '0 reserved, 1 drawn, 2 published. Unit: none.';
comment on column throng.noise_draw.digest is 'SHA-256 over the drawn values in their canonical text. Unit: 32 bytes.';
comment on column throng.noise_draw.reserved_at is 'When it was paid. Unit: instant.';
comment on column throng.noise_draw.drawn_at is 'When its values were stored. Unit: instant.';
comment on column throng.noise_draw.published_at is 'When they left the house. Unit: instant.';

create table throng.noise_cell (
    draw_id bigint not null,
    margin integer not null,
    cell integer not null,
    measure smallint not null,
    value bigint not null,
    constraint noise_cell_pkey primary key (draw_id, margin, cell, measure),
    constraint noise_cell_draw_fkey foreign key (draw_id) references throng.noise_draw
);
comment on table throng.noise_cell is 'What was drawn and is not published yet: one row per declared cell and measure, the empty ones too.';
comment on column throng.noise_cell.draw_id is 'The draw. Unit: none.';
comment on column throng.noise_cell.margin is 'Which dimensions are kept: bit i stands for dimension i. Unit: bit set.';
comment on column throng.noise_cell.cell is 'The cell of that margin. Unit: none.';
comment on column throng.noise_cell.measure is 'Which number of the cell: 0 is the count, i + 1 is sum i. Unit: none.';
comment on column throng.noise_cell.value is 'Counted number plus noise; may be negative. Unit: events, or 10^-decimals of the sum''s unit. Saturates.';

-- Forward only, and the price of a release never changes, whoever connects.
create function throng.noise_draw_moves_forward() returns trigger
language plpgsql
set search_path = ''
as $$
begin
    if new.stage <> old.stage + 1
        or (old.digest is not null and new.digest <> old.digest)
        or (new.draw_id, new.metric_id, new.app, new.metric, new.purpose, new.period_kind, new.period_start, new.slots,
            new.mechanism, new.parameter_numerator, new.parameter_denominator, new.cost_numerator,
            new.cost_denominator, new.cells, new.header::text, new.reserved_at)
        is distinct from (old.draw_id, old.metric_id, old.app, old.metric, old.purpose, old.period_kind,
            old.period_start, old.slots, old.mechanism, old.parameter_numerator, old.parameter_denominator,
            old.cost_numerator, old.cost_denominator, old.cells, old.header::text, old.reserved_at)
    then
        raise exception 'noise draw % is at stage % and only moves to the next', old.draw_id, old.stage
            using errcode = 'integrity_constraint_violation';
    end if;
    return new;
end
$$;
create trigger noise_draw_moves_forward
before update on throng.noise_draw
for each row execute function throng.noise_draw_moves_forward();

create trigger noise_draw_stays
before delete or truncate on throng.noise_draw
for each statement execute function throng.refuse_change();

-- Values go once they are published, and change never.
create function throng.noise_cells_stay() returns trigger
language plpgsql
set search_path = ''
as $$
begin
    if exists (
        select
        from (select distinct draw_id from gone) as touched
        join throng.noise_draw as draw using (draw_id)
        where draw.stage <> 2
    ) then
        raise exception 'drawn values stay until they are published: they are never drawn again'
            using errcode = 'object_not_in_prerequisite_state';
    end if;
    return null;
end
$$;
create trigger noise_cells_stay
after delete on throng.noise_cell
referencing old table as gone
for each statement execute function throng.noise_cells_stay();

create trigger noise_cell_never_changes
before update or truncate on throng.noise_cell
for each statement execute function throng.refuse_change();

-- What is spent stays spent.
create function throng.noise_budget_only_grows() returns trigger
language plpgsql
set search_path = ''
as $$
begin
    if new.spent_numerator * old.spent_denominator < old.spent_numerator * new.spent_denominator
        or (new.app, new.purpose, new.slot_start, new.slot_end, new.currency)
        is distinct from (old.app, old.purpose, old.slot_start, old.slot_end, old.currency)
    then
        raise exception 'the noise budget of % from % was spent and cannot be given back', old.purpose, old.slot_start
            using errcode = 'integrity_constraint_violation';
    end if;
    return new;
end
$$;
create trigger noise_budget_only_grows
before update on throng.noise_budget
for each row execute function throng.noise_budget_only_grows();

create trigger noise_budget_stays
before delete or truncate on throng.noise_budget
for each statement execute function throng.refuse_change();


-- What analysts see --------------------------------------------------------------------------------------------------

comment on schema analyst is 'Released numbers: every one stands for at least k devices or, where analyst.noise lists its release, carries noise. Nothing else is visible here.';
comment on column analyst.releases.k is 'How many devices each number stands for at least; 0 where each carries noise, see analyst.noise. Unit: devices.';

create view analyst.noise as
select r.app,
    r.metric,
    l.view_name::text as view_name,
    (array['hour', 'day', 'week', 'month'])[r.period_kind + 1] as period_kind,
    r.period_start,
    r.header -> 'noise' -> 'mechanism' ->> 'mechanism' as mechanism,
    r.header -> 'noise' -> 'mechanism' ->> 'epsilon' as epsilon,
    r.header -> 'noise' -> 'mechanism' ->> 'rho' as rho,
    (r.header -> 'noise' ->> 'cells')::integer as cells,
    (r.header -> 'noise' -> 'margins' ->> 0)::bigint as events_margin,
    array(
        select value::bigint
        from json_array_elements_text(r.header -> 'noise' -> 'margins') with ordinality
        where ordinality > 1
        order by ordinality
    ) as sums_margin
from throng.release as r
join throng.metric_layout as l using (metric_id)
where r.kind_of_release = 1;
comment on view analyst.noise is 'Which releases carry noise, and how much. Their numbers may be negative, and parts do not add up to totals: each number has noise of its own.';
comment on column analyst.noise.app is 'Name of the app. Unit: none.';
comment on column analyst.noise.metric is 'Name of the metric. Unit: none.';
comment on column analyst.noise.view_name is 'The view in this schema that shows its numbers. Unit: none.';
comment on column analyst.noise.period_kind is 'hour, day, week or month. Unit: none.';
comment on column analyst.noise.period_start is 'First second of the period. Unit: instant.';
comment on column analyst.noise.mechanism is 'laplace or gaussian. Unit: none.';
comment on column analyst.noise.epsilon is 'What the whole release costs one identifier in one window, as an exact fraction; null for gaussian. Unit: epsilon.';
comment on column analyst.noise.rho is 'The same for gaussian. Unit: rho.';
comment on column analyst.noise.cells is 'Declared cells of all groupings, each with a number. Unit: cells.';
comment on column analyst.noise.events_margin is '19 of 20 numbers of events lie within this of what was counted. Unit: events.';
comment on column analyst.noise.sums_margin is 'The same for each sum. Unit: 10^-decimals of the sum''s unit.';
grant select on analyst.noise to throng_analyst;

-- The view of a noisy layout says so itself.
create function throng.comment_noisy_view() returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    execute format(
        'comment on view analyst.%I is %L',
        new.view_name,
        format(
            'Noisy numbers of metric %s of app %s, layout %s: every declared cell has one, and it may be negative; '
            'see analyst.noise for how far off. Rows of different groupings overlap and do not add up.',
            new.metric, new.app, new.version));
    return null;
end
$$;
create trigger noisy_view_says_so
after update of view_name on throng.metric_layout
for each row when (new.view_name is not null and new.layout ->> 'noise' is not null)
execute function throng.comment_noisy_view();


-- Who may do what ----------------------------------------------------------------------------------------------------

revoke all on function
    throng.release_takes_its_kind(),
    throng.noise_draw_moves_forward(),
    throng.noise_cells_stay(),
    throng.noise_budget_only_grows(),
    throng.comment_noisy_view()
from public;

grant insert on throng.open_period to throng_reporter;
grant select, insert on throng.release_kind, throng.noise_budget, throng.noise_draw to throng_reporter;
grant update (total_numerator, total_denominator, spent_numerator, spent_denominator) on throng.noise_budget
to throng_reporter;
grant update (stage, digest, drawn_at, published_at) on throng.noise_draw to throng_reporter;
grant select, insert, delete on throng.noise_cell to throng_reporter;
