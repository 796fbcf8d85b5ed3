-- Whether the table of migrations is there.
-- Returns: one row, yes or no.
select to_regclass('throng.migration') is not null;
