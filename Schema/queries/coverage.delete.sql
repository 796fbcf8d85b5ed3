-- Deletes the totals of what became of an app's events in hours before an instant.
-- $1 app: text.
-- $2 before: bigint, Unix seconds; the first hour that stays.
-- Returns: no rows.
delete from throng.coverage
where app = $1
    and hour < to_timestamp($2::bigint);
