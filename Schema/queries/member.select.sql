-- Every daemon that ever attached, for how long nothing was heard of it, and how far it is.
-- Returns: daemon, shard, address, heard (epochs), when it was retired and since when what it acknowledged may be lost (Unix
--     seconds, or null), silence (seconds; null for one that has not attached yet), whether it has stopped and left nothing behind,
--     from when on one that has stopped owes something (Unix seconds, or null), by shard.
select member.daemon::text,
    member.shard,
    member.address,
    member.heard,
    extract(epoch from member.retired_at)::bigint,
    floor(extract(epoch from member.lost_since))::bigint,
    extract(epoch from now() - greatest(mark.attached_at, mark.advanced_at, mark.settled_at))::bigint,
    coalesce(mark.settled = 9223372036854775807, true),
    case
        when mark.settled between 4611686018427387904 and 9223372036854775806 then mark.settled - 4611686018427387904
    end
from throng.member
left join throng.watermark as mark on mark.shard = member.shard and mark.daemon = member.daemon
order by member.shard;
