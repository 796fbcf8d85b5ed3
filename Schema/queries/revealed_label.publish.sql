-- Notes, once a day, that numbers of these slots were published.
-- $1 app: text.
-- $2 dimension: text.
-- $3 slots: bigint[], from 0.
-- Returns: no rows.
update throng.revealed_label
set published_at = now()
where app = $1
    and dimension = $2
    and slot = any ($3::bigint[])
    and (published_at is null or published_at < now() - interval '1 day');
