-- The migrations that were applied.
-- Returns: version, SHA-256 of its text (32 bytes), when (Unix seconds), the earliest version whose programs go on working with the
--     database (or null), by version.
select version,
    checksum,
    extract(epoch from applied_at)::bigint,
    works_with::bigint
from throng.migration
order by version;
