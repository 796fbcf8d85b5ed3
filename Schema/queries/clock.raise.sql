-- $1: what is believed now. $2: the machine's start. $3: for how long it has run. $4: the confirmations that whoever
-- believes has heard of: after another one it has to look again.
insert into throng.clock as known (believed_at, machine, uptime)
values (to_timestamp($1::bigint), $2, $3::bigint)
on conflict (one) do update
set believed_at = excluded.believed_at,
    machine = excluded.machine,
    uptime = excluded.uptime
where known.confirmations = $4::bigint
    and known.believed_at < excluded.believed_at;
