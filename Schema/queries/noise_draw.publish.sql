-- Marks what was drawn as published.
-- $1 draw: bigint, the schema's number of a draw.
-- Returns: no rows; one is touched where it was drawn and not yet published.
update throng.noise_draw
set stage = 2,
    published_at = transaction_timestamp()
where draw_id = $1::bigint
    and stage = 1;
