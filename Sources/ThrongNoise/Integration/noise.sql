-- Noise: what it cost, and what was drawn. For the next migration; needs throng.metric_layout and throng.release.
--
-- The order that throng.noise_draw.stage follows is that of ThrongNoise's BudgetLedger. Two transactions at least:
--   1. noise_budget row locked "for update", noise_draw inserted at stage 0, noise_budget.spent raised. Committed
--      before the first coin is flipped.
--   2. noise_cell copied, stage 0 to 1 and the digest set. Committed before anyone sees a value.
--   3. throng.release and throng.released_cell filled from noise_cell, stage 1 to 2: one transaction, so that
--      "published" and the release can't part.
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
    constraint release_kind_pkey primary key (app, metric, period_kind, period_start),
    constraint release_kind_with_kind unique (app, metric, period_kind, period_start, kind),
    constraint release_kind_period_kind_known check (period_kind between 0 and 3),
    constraint release_kind_kind_known check (kind in (0, 1))
);
comment on table throng.release_kind is 'Whether a metric''s period is released exactly or with noise; never both, never changed. By name, not by layout: a new layout of the same metric is the same promise.';
comment on column throng.release_kind.app is 'Name of the app. Unit: none.';
comment on column throng.release_kind.metric is 'Name of the metric. Unit: none.';
comment on column throng.release_kind.period_kind is 'What it covers: 0 hour, 1 day, 2 week, 3 month. Unit: none.';
comment on column throng.release_kind.period_start is 'First second of the period. Unit: instant.';
comment on column throng.release_kind.kind is '0 exact with cells withheld, 1 every declared cell with noise. Unit: none.';

-- With these, throng.release takes part (kind_of_release is filled by release.insert.sql):
--   alter table throng.release
--       add column kind_of_release smallint not null default 0,
--       add constraint release_kind_fkey foreign key (app, metric, period_kind, period_start, kind_of_release)
--           references throng.release_kind (app, metric, period_kind, period_start, kind);


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
    constraint noise_budget_pkey primary key (app, purpose, slot_start),
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
comment on column throng.noise_budget.slot_start is 'First second of the slot, in the app''s time zone; -infinity where the budget is for the purpose''s whole life. Unit: instant.';
comment on column throng.noise_budget.slot_end is 'First second after the slot; infinity for the whole life. Unit: instant.';
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
comment on table throng.noise_cell is 'What was drawn: one row per declared cell and measure, the empty ones too. Safe to publish; never changed.';
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
            new.cost_denominator, new.cells, new.reserved_at)
        is distinct from (old.draw_id, old.metric_id, old.app, old.metric, old.purpose, old.period_kind,
            old.period_start, old.slots, old.mechanism, old.parameter_numerator, old.parameter_denominator,
            old.cost_numerator, old.cost_denominator, old.cells, old.reserved_at)
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

grant select, insert on throng.release_kind to throng_reporter;
grant select, insert on throng.noise_budget to throng_reporter;
grant update (spent_numerator, spent_denominator) on throng.noise_budget to throng_reporter;
grant select, insert on throng.noise_draw to throng_reporter;
grant update (stage, digest, drawn_at, published_at) on throng.noise_draw to throng_reporter;
grant select, insert on throng.noise_cell to throng_reporter;
