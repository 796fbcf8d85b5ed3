-- Keeps a question at a free place of its token, else at that of the one that was declined first, else at that of one that
-- the plan answers by now; not where it waits already.
-- $1 token: text, its public part.
-- $2 app: text.
-- $3 question: text.
-- $4 answered: text, the id of a question that the plan answers; null for none.
-- Returns: place; no rows where nothing was kept.
insert into throng.asked_number as known (token_id, place, app, question, asked_at)
select $1::text,
    places.place,
    $2::text,
    $3::text,
    now()
from generate_series(1, 8) as places (place)
left join throng.asked_number as taken on taken.token_id = $1::text and taken.place = places.place
where (taken.place is null or taken.declined_at is not null or taken.id::text = $4::text)
    and not exists (
        select
        from throng.asked_number as same
        where same.token_id = $1::text
            and same.app = $2::text
            and same.question = $3::text
            and same.declined_at is null
    )
order by taken.place is not null, taken.declined_at, places.place
limit 1
on conflict (token_id, place) do update
set id = excluded.id,
    app = excluded.app,
    question = excluded.question,
    asked_at = excluded.asked_at,
    declined_at = null
where known.declined_at is not null
    or known.id::text = $4::text
returning place;
