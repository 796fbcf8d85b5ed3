-- When the periods of a kind start of which an app has releases.
select distinct extract(epoch from period_start)::bigint
from throng.release
where app = $1
    and period_kind = $2::smallint
    and period_start >= to_timestamp($3::bigint);
