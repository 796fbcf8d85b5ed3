-- Writes down what time is believed, where that is later than what was and no operator has said another one since.
-- $1 now: bigint, Unix seconds; what is believed.
-- $2 machine: text, the machine's start.
-- $3 uptime: bigint, seconds; for how long the machine has run.
-- $4 confirmations: bigint, times; how often an operator had said the time when whoever believes looked last.
-- Returns: no rows.
insert into throng.clock as known (believed_at, machine, uptime)
values (to_timestamp($1::bigint), $2, $3::bigint)
on conflict (one) do update
set believed_at = excluded.believed_at,
    machine = excluded.machine,
    uptime = excluded.uptime
where known.confirmations = $4::bigint
    and known.believed_at < excluded.believed_at;
