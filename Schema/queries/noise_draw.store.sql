-- Marks what was reserved as drawn.
-- $1 draw: bigint, the schema's number of a draw.
-- $2 digest: bytea, SHA-256 over the drawn values, 32 bytes.
-- Returns: no rows; one is touched where it was reserved and not yet drawn.
update throng.noise_draw
set stage = 1,
    digest = $2::bytea,
    drawn_at = transaction_timestamp()
where draw_id = $1::bigint
    and stage = 0;
