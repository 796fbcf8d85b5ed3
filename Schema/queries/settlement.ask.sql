select nextval('throng.settlement');
