-- Notes what an evaluator makes of a label, instead of what was known.
-- $1 app: text.
-- $2 dimension: text.
-- $3 label: text.
-- $4 evaluator: text, its public key in base64url.
-- $5 output: text, 32 bytes in base64url.
-- Returns: one row without a value.
select throng.evaluate_label($1, $2, $3, $4, $5);
