-- Makes a layout known, and its view where asked the metric's current one.
-- $1 layout: text, its JSON.
-- $2 current: integer, 1 for the layout of the plan in force, else 0.
-- Returns: the schema's number of the layout.
select throng.register_layout($1, $2::integer <> 0);
