-- Notes that nothing is counted by a daemon's plans any more, but those of some apps, until it says so again.
-- $1 daemon: uuid.
-- $2 kept: text, names of apps separated by commas.
-- Returns: one row without a value.
select throng.stop_plans($1::uuid, string_to_array($2::text, ','));
