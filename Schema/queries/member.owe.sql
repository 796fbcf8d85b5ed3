-- Notes until when a daemon owes something that only the end of its windows brings.
-- $1 daemon: uuid.
-- $2 until: bigint, Unix seconds; when the last of them is over, null for none.
-- Returns: one row without a value.
select throng.owe($1::uuid, $2::bigint);
