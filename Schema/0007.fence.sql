-- Fences follow the clock of whoever attaches, so that a fence of a database that was restored from an older copy is
-- never met again: a lower one than a process holds tells that the database is older than its attachment.

comment on column throng.watermark.fence is 'Grows whenever a process attaches; only the last one may flush. Unit: microseconds since 1970; in older rows attachments.';
