-- Which migrations were applied.
-- Returns: version, SHA-256 of its text (32 bytes), when (Unix seconds), by version.
select version,
    checksum,
    extract(epoch from applied_at)::bigint
from throng.migration
order by version;
