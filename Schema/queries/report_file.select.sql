-- Only to the partner that it is for.
select contents
from throng.report_file
where app = $1
    and partner = $2
    and report = $3
    and name = $4;
