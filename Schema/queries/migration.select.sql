select version,
    checksum,
    extract(epoch from applied_at)::bigint
from throng.migration
order by version;
