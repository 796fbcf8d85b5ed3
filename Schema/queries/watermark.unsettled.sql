-- Daemons that have not answered an asking, and for how long nothing was heard of them, since the last of their windows is over.
-- $1 asking: bigint.
-- $2 now: bigint, Unix seconds; by the clock that says what is due. Who has stopped owes nothing before its windows are over.
-- Returns: daemon, silence (seconds), by daemon.
select mark.daemon::text,
    greatest(
        0,
        extract(epoch from now() - greatest(
            mark.attached_at, mark.advanced_at, mark.settled_at, member.owed_until,
            case when mark.settled between 4611686018427387904 and 4611686018427387904 + $2::bigint then
                to_timestamp(mark.settled - 4611686018427387904)
            end)))::bigint
from throng.watermark as mark
left join throng.member on member.shard = mark.shard and member.daemon = mark.daemon
where mark.settled < $1::bigint
    or mark.settled between 4611686018427387904 and 4611686018427387904 + $2::bigint
order by mark.daemon;
