-- Who counts which identifiers, and from when on; without what was given up.
-- Returns: epoch, when it begins (Unix seconds; null for the first, which has always been), by slot the shard that counts it, the shard
--     that it retires (or null), whether it is in force, by epoch.
select epoch,
    case when begins_at > '-infinity' then extract(epoch from begins_at)::bigint end,
    owners::bigint[],
    retires,
    state = 'in force'
from throng.epoch
where state <> 'void'
order by epoch;
