-- By what daemons know one another.
-- Returns: one row: 32 bytes.
select secret
from throng.member_secret;
