-- Deletes the totals of what became of an app's events in hours before an instant.
-- $1 app: text.
-- $2 before: bigint, Unix seconds; the first hour that stays.
-- Returns: one row without a value.
with gone as (
    delete from throng.coverage
    where app = $1
        and hour < to_timestamp($2::bigint)
    returning hour
)
select throng.note_deletion(
    $1, 'coverage', 'events', 'with the first numbers of the app', min(hour), max(hour) + interval '1 hour', count(*))
from gone;
