-- Lets who waits know that it was heard: from then on it waits anew. No row where it has taken the place already.
update throng.watermark
set claim = -claim
where shard = 0
    and daemon = $1::uuid
    and fence = $2::bigint
    and claim > 0;
