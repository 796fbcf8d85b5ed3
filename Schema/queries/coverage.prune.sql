-- Deletes what a removal has brought to nothing of what became of an app's events.
-- $1 app: text.
-- Returns: nothing.
select throng.prune_coverage($1);
