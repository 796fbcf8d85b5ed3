-- Daemons that count and have no watermark, as where a PostgreSQL was set back to before they came and was told of them by others.
-- Returns: daemon, for how long it is known (seconds), by daemon.
select member.daemon::text,
    greatest(0, extract(epoch from now() - member.enrolled_at))::bigint
from throng.member
where member.retired_at is null
    and member.shard in (
        select unnest(epoch.owners)
        from throng.epoch
        where epoch.state = 'in force'
            and not exists (
                select
                from throng.epoch as later
                where later.state = 'in force'
                    and later.epoch > epoch.epoch
                    and later.begins_at < now() - interval '3 days'
            )
    )
    and member.shard <> all (array(select mark.shard from throng.watermark as mark))
order by member.daemon;
