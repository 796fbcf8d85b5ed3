"""A house that lives for more than a year: on a clock that moves, with several plans, and what is due is done each morning."""

import os
import time

import daemon
from daemon import until
from moving_clock import MovingClock

DAY, HOUR = 86400, 3600
# A Monday more than 400 days ago: PostgreSQL takes no periods that lie far ahead of its own clock.
START = (int(time.time()) // DAY - 410 + 3) // 7 * 7 * DAY - 3 * DAY


def date(day):
    return time.strftime("%Y-%m-%d", time.gmtime(START + day * DAY))


class House(daemon.Daemon):
    """Its plans are those that a daemon counts by; days are counted from START."""

    def __init__(self, plans):
        (app, text), *others = plans.items()
        super().__init__(text, name=app)
        for name, text in others:
            self.add_plan(text, name)
        self.portal_port = daemon.free_ports(1)[0]
        self.clock = MovingClock(self.folder, START - HOUR)
        self.settings = {**self.clock.variables, "THRONG_TEST_SCHEDULE_SECONDS": "1"}

    def start(self, seconds=600):
        """PostgreSQL's own clock is not moved: when it says that a plan came into force is set right."""
        before = int(time.time()) - 1
        super().start(seconds)
        self.drain()
        for table in ("layout_terms", "layout_promise"):
            for column in ("since", "until"):
                self.sql(f"""update throng.{table} set {column} = to_timestamp({self.clock.now()})
                    where {column} >= to_timestamp({before})""")
        return self

    def at(self, day, hour=12):
        self.clock.move(START + day * DAY + hour * HOUR)

    def settle(self, day, hour=7):
        """Waits, at seven on a morning, until what was due is released and reported, and age has taken its part."""
        self.at(day, hour)
        apps = ", ".join(f"'{os.path.basename(path)[:-5]}'" for path in self.plans)
        until(lambda: self.sql(f"""select count(*) from (
                select metric_id, period_end from throng.open_period
                union all select metric_id, period_end from throng.open_rollup
            ) as open join throng.metric_layout using (metric_id)
            where app in ({apps}) and period_end + interval '3 hours' <= to_timestamp({self.clock.now()})""") == [["0"]],
              "not everything was released by", day, "\n", lambda: self.log_text()[-3000:], seconds=240, pause=0.5)
