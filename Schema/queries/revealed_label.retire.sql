-- Nothing more is counted under labels of which no number was published for so long.
update throng.revealed_label
set retired_at = to_timestamp($4::bigint)
where app = $1
    and dimension = $2
    and retired_at is null
    and greatest(learned_at, published_at) < to_timestamp($3::bigint);
