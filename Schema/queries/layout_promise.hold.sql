-- Keeps what a plan promises of a layout's numbers.
-- $1 metric: integer, the schema's number of a layout.
-- $2 since: bigint, Unix seconds; when the plan came into force.
-- $3 ages: bigint[], seconds; at which numbers go.
-- $4 actions: text, one an age, separated by commas: what goes then.
-- $5 explanation: text, what people are told that it is for; null where nobody said so.
-- $6 recipients: text, names of partners separated by commas; null where nobody said so.
-- $7 everywhere: integer, 1 where all daemons count by the plan, so that what others promised is over; else 0.
-- Returns: one row without a value.
select throng.hold_promise(
    $1::integer,
    $2::bigint,
    $3::bigint[],
    string_to_array($4, ','),
    $5,
    string_to_array($6, ','),
    $7::integer::boolean);
