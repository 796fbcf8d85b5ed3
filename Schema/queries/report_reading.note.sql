-- Notes that a partner's token read a report, in this hour.
-- $1 token: text, its public part.
-- $2 report: text.
-- $3 now: bigint, Unix seconds.
-- Returns: no rows.
insert into throng.report_reading as known (token_id, report, hour)
values ($1::text, $2::text, date_trunc('hour', to_timestamp($3::bigint), 'UTC'))
on conflict (token_id, report) do update
set hour = excluded.hour
where known.hour < excluded.hour;
