-- Daemons that have not answered an asking, and for how long nothing was heard of them; of who has stopped, since its windows are over.
-- $1 asking: bigint.
-- $2 now: bigint, Unix seconds; by the clock that says what is due. Who has stopped owes nothing before its windows are over.
-- Returns: daemon, silence (seconds), by daemon.
select daemon::text,
    greatest(
        0,
        extract(epoch from now() - greatest(
            attached_at, advanced_at, settled_at,
            case when settled between 4611686018427387904 and 4611686018427387904 + $2::bigint then
                to_timestamp(settled - 4611686018427387904)
            end)))::bigint
from throng.watermark
where settled < $1::bigint
    or settled between 4611686018427387904 and 4611686018427387904 + $2::bigint
order by daemon;
