-- Daemons that have not answered an asking, for how long nothing was heard of them since the last of their windows is over, and at all.
-- $1 asking: bigint.
-- $2 now: bigint, Unix seconds; by the clock that says what is due. Who has stopped owes nothing before its windows are over.
-- Returns: daemon, silence (seconds), unheard (seconds), by daemon. No window is open for longer than three days.
select mark.daemon::text,
    greatest(
        0,
        extract(epoch from now() - greatest(
            mark.attached_at, mark.advanced_at, mark.settled_at,
            case when member.owed_until is not null then
                least(member.owed_until, greatest(mark.attached_at, mark.advanced_at, mark.settled_at) + interval '3 days')
            end,
            case when mark.settled between 4611686018427387904 and 4611686018427387904 + $2::bigint then
                to_timestamp(mark.settled - 4611686018427387904)
            end)))::bigint,
    greatest(0, extract(epoch from now() - greatest(mark.attached_at, mark.advanced_at, mark.settled_at)))::bigint
from throng.watermark as mark
left join throng.member on member.shard = mark.shard and member.daemon = mark.daemon
where mark.settled < $1::bigint
    or mark.settled between 4611686018427387904 and 4611686018427387904 + $2::bigint
order by mark.daemon;
