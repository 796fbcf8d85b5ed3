-- The last time at which each report was read by each token, the latest first.
-- Returns: token, app, partner, report, hour (Unix seconds).
select token_id,
    app,
    partner,
    report,
    extract(epoch from hour)::bigint
from throng.report_reading
join throng.access_token using (token_id)
order by hour desc, token_id, report;
