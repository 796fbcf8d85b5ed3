-- Nothing more is counted under labels of which no number was published for so long.
-- $1 app: text.
-- $2 dimension: text.
-- $3 before: bigint, Unix seconds; the last publication of what is retired.
-- $4 now: bigint, Unix seconds.
-- Returns: no rows.
update throng.revealed_label
set retired_at = to_timestamp($4::bigint)
where app = $1
    and dimension = $2
    and retired_at is null
    and greatest(learned_at, published_at) < to_timestamp($3::bigint);
