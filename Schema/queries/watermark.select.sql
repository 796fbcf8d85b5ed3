select position,
    fence,
    holder,
    claim
from throng.watermark
where shard = 0
    and daemon = $1::uuid;
