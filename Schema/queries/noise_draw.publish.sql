update throng.noise_draw
set stage = 2,
    published_at = transaction_timestamp()
where draw_id = $1::bigint
    and stage = 1;
