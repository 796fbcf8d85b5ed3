insert into throng.migration (version, name, checksum)
values ($1::integer, $2, $3::bytea);
