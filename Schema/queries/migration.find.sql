select to_regclass('throng.migration') is not null;
