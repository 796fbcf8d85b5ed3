-- Deletes the numbers of a draw.
-- $1 draw: bigint, the schema's number of a draw.
-- Returns: no rows.
delete from throng.noise_cell
where draw_id = $1::bigint;
