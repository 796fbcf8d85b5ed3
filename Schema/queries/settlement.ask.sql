-- Asks all daemons whether PostgreSQL has what they acknowledged.
-- Returns: one row, the asking's number.
select nextval('throng.settlement');
