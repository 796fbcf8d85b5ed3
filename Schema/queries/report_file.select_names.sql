-- What one partner has, the latest period first.
select report,
    period_kind,
    extract(epoch from period_start)::bigint,
    extract(epoch from period_end)::bigint,
    name,
    octet_length(contents)::bigint,
    encode(sha256(contents), 'hex'),
    extract(epoch from made_at)::bigint
from throng.report_file
where app = $1
    and partner = $2
    and ($3::text is null or report = $3)
order by report, period_start desc, name;
