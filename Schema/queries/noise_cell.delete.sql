delete from throng.noise_cell
where draw_id = $1::bigint;
