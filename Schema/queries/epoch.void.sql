-- Gives up proposals that not all have agreed to in time.
-- Returns: one row of nothing.
select throng.void_epochs();
