-- Keeps what a plan asks of a layout's releases.
-- $1 metric: integer, the schema's number of a layout.
-- $2 since: bigint, Unix seconds; when the plan came into force, null for now.
-- $3 k: bigint, devices.
-- $4 events: text, names separated by commas.
-- $5 consent: boolean, null where the purpose is not in the plan.
-- $6 signals: text, names separated by commas.
-- $7 origins: text, JSON: what each base dimension is made from.
-- $8 everywhere: integer, 1 where all daemons count by the plan, so that what others asked is over; else 0.
-- Returns: when the plan came into force (Unix seconds), whether the one before it asked something else.
select held_since,
    is_edited
from throng.hold_terms(
    $1::integer,
    $2::bigint,
    $3::bigint,
    string_to_array($4, ','),
    $5::boolean,
    string_to_array($6, ','),
    $7::jsonb,
    $8::integer::boolean);
