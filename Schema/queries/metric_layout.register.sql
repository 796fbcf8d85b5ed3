select throng.register_layout($1, $2::integer <> 0);
