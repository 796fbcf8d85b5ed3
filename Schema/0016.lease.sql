-- Who takes a daemon's place with a copy of its data directory says so first and waits: until then the former may go on
-- acknowledging, because it can't know better. It sees the claim, flushes what it has acknowledged and gives its place back.

alter table throng.watermark
    add column holder text,
    add column claim bigint;
comment on column throng.watermark.holder is 'The lock of the process that attached last: boot id, device and inode; null where it has given its place back. Unit: none.';
comment on column throng.watermark.claim is 'The fence of who waits to take the place, negative once the holder has heard of it; null where nobody waits. Unit: as fence.';
