-- Which metrics were ever released, of every app and kind of period.
-- Returns: app, metric, kind.
select distinct r.app,
    r.metric,
    r.period_kind
from throng.release as r
order by r.app, r.metric, r.period_kind;
