-- An operator says what time it is, whatever was believed before.
-- $1 now: bigint, Unix seconds; what the operator says.
-- $2 machine: text, the machine's start.
-- $3 uptime: bigint, seconds; for how long the machine has run.
-- Returns: no rows.
insert into throng.clock as known (believed_at, machine, uptime, confirmations)
values (to_timestamp($1::bigint), $2, $3::bigint, 1)
on conflict (one) do update
set believed_at = excluded.believed_at,
    machine = excluded.machine,
    uptime = excluded.uptime,
    confirmations = known.confirmations + 1;
