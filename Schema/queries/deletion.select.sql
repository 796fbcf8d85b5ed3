-- What age took, oldest first.
-- Returns: place, when (Unix seconds), app, kind, subject, term, period (start and end, Unix seconds, or nulls), rows, digest.
select place,
    extract(epoch from taken_at)::bigint,
    app,
    kind,
    subject,
    term,
    extract(epoch from period_start)::bigint,
    extract(epoch from period_end)::bigint,
    rows,
    digest
from throng.deletion
order by place;
