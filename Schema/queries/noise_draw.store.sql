update throng.noise_draw
set stage = 1,
    digest = $2::bytea,
    drawn_at = transaction_timestamp()
where draw_id = $1::bigint
    and stage = 0;
