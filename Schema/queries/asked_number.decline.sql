-- Declines a question that waits, and no other one that has its place by now.
-- $1 id: text.
-- Returns: no rows.
update throng.asked_number
set declined_at = now()
where id::text = $1::text
    and declined_at is null;
