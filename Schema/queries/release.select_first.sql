-- When the first period begins that had been released of a metric when that which starts at $4 was.
select extract(epoch from min(r.period_start))::bigint
from throng.release as r
where r.app = $1
    and r.metric = $2
    and r.period_kind = $3::smallint
    and r.release_id <= (
        select min(own.release_id)
        from throng.release as own
        where own.app = $1
            and own.metric = $2
            and own.period_kind = $3::smallint
            and own.period_start = to_timestamp($4::bigint)
    );
