select throng.learn_label($1, $2, $3::integer, $4);
