-- Deletes what belongs to no period that can still be released, alone, in a rollup, or with metrics of the same events.
-- Returns: one row without a value.
select throng.delete_abandoned();
