-- Gives a lease back.
-- $1 name: text.
-- $2 daemon: uuid.
-- Returns: no rows.
delete from throng.lease
where name = $1::text
    and daemon = $2::uuid;
