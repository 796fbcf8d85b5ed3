-- Notes by which plan of an app a daemon counts; says which one is in force then.
-- $1 daemon: uuid.
-- $2 app: text.
-- $3 plan: bytea, SHA-256 of its text, 32 bytes.
-- $4 applied: integer, 1 where an operator says that it comes into force whatever does now, else 0.
-- Returns: one row: the plan in force (32 bytes), since when (Unix seconds), the daemon that brought it, why it came, whether it came
--     just now, whether all daemons that count do so by it.
select plan,
    extract(epoch from since)::bigint,
    daemon::text,
    arrival,
    has_arrived,
    is_everywhere
from throng.announce_plan($1::uuid, $2::text, $3::bytea, $4::integer::boolean);
