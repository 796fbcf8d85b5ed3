delete from throng.report_file
where app = $1
    and period_end < to_timestamp($2::bigint);
