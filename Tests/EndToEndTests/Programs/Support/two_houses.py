"""Two houses on one clock and with one secret, and a day's crowd for both: what is sent, and who wants it all back."""

import json
import os
import shutil
import time

import daemon
from moving_clock import MovingClock
from long_house import DAY, HOUR, START

ROTATIONS = {"product": DAY, "visit": HOUR}
# Hours of the clock in which a day's crowd is there.
SLOTS = 3
# What a crowd sends: which purpose counts it.
EVENTS = {"look": "product", "buy": "product", "read": "visit", "pay": "visit"}


def stamp(at, form="%Y-%m-%dT%H:%M:%SZ"):
    return time.strftime(form, time.gmtime(at))


def metric(name, events, purpose, more):
    return f"""
  {name}: {{title: {name.title()}, events: [{events}], question: What?, decision: That., owner: Team, purpose: {purpose},
    expires: {stamp(START + 300 * DAY, "%Y-%m-%d")}, {more}}}"""


def plan():
    """Every kind of number that a withdrawal takes from. A day is released six hours after its end, so that nothing is that a
    crowd is still about, and the windows of its visits are over by then."""
    paid = "sums: {%s: {field: paid, from: -50, to: 500, decimals: 0, unit: EUR}}"
    return f"""
app: {{name: shop, title: Shop, owner: Team, contact: a@example.com, audience: 100, threshold: 5, grace: 6 hours}}
purposes:
  product: {{explanation: To sell., consent: not_required, rotation: 1 day, retention: 400 days}}
  visit: {{explanation: To see., consent: not_required, rotation: 1 hour, retention: 400 days}}
dimensions:
  os: {{title: System, field: os, list: [iOS, Android], partitions: devices}}
  page: {{title: Page, field: page, list: [home, cart]}}
metrics:{metric("revenue", "buy", "product", f'''period: day, dimensions: [os, page], rollups: [week], contribution_bound: 20,
    measures: {{reach: true, {paid % "paid"}}}''')}{metric(
        "views", "look, buy", "product", "period: hour, dimensions: [page], contribution_bound: 20")}{metric(
        "reads", "read", "visit", '''period: day, dimensions: [os, page], margins: [[os], [page]],
    measures: {reach: true}''')}{metric(
        "payments", "pay", "visit", f"period: day, dimensions: [os], measures: {{{paid % 'payment'}}}")}{metric(
        "often", "read, pay", "visit", "period: day, dimensions: [os], measures: {frequency: {bands: [1, 2, 5]}}")}{metric(
        "way", "pay", "visit", '''period: day, measures: {funnel: {steps: [{title: Home, event: pay, where: {page: home}},
    {title: Cart, event: pay, where: {page: cart}}]}}''')}
insights:
  by_os: {{title: Revenue, metric: revenue, kind: count, by: [os]}}
  by_page: {{title: Pages, metric: revenue, kind: mean, sum: paid, by: [page]}}
  read: {{title: Read, metric: reads, kind: count, by: [os, page]}}
  readers: {{title: Readers, metric: reads, kind: reach}}
  paid: {{title: Payments, metric: payments, kind: count, by: [os]}}
  times: {{title: Times, metric: often, kind: frequency}}
  steps: {{title: Steps, metric: way, kind: funnel}}
partners:
  board: {{title: Board, contact: b@example.com}}
reports:
  daily: {{title: Daily, partner: board, insights: [by_os, by_page, read, readers, paid, times, steps], period: day,
    formats: [csv, json, html], schedule: 15 6 * * *, deliver: [{{folder: out}}]}}
"""


class House(daemon.Daemon):
    """One of the two. The first makes a clock and, once it has started, a secret; the second takes them."""

    def __init__(self, first=None):
        super().__init__(plan())
        self.clock = first.clock if first else MovingClock(self.folder, START)
        # Both draw the same noise.
        self.settings = {**self.clock.variables, "noise": True, "THRONG_TEST_SCHEDULE_SECONDS": "1"}
        if first:
            os.makedirs(self.data)
            shutil.copy(os.path.join(first.data, "installation.secret"), self.data)

    def withdraw(self, identifier, window, purpose="product", **more):
        body = {"app": "shop", "purpose": purpose, "window": window, "id": identifier, **more}
        return self.post(json.dumps(body), path="/v1/withdraw")

    def rows(self, since, covered):
        """What is counted of periods since an instant, under names that both share. A sum of 0 has a row or none, as flushes divide it. Of
        what became of events it is another instant: who withdraws after a release may be taken out of those of its day."""
        named = "join throng.metric_layout as l on l.metric_id = t.metric_id"
        recent = f"where t.period_start >= to_timestamp({since})"
        return {
            "counter": self.sql(f"""select l.layout ->> 'metric', t.period_kind, t.period_start, t.measure, t.cell, t.value
                from throng.counter as t {named} {recent} and t.value <> 0 order by 1, 2, 3, 4, 5"""),
            "distinct_count": self.sql(f"""select l.layout ->> 'metric', t.period_start, t.margin, t.cell, t.window_number,
                t.devices from throng.distinct_count as t {named} {recent} order by 1, 2, 3, 4, 5"""),
            "coverage": self.sql(f"""select hour, kind, events from throng.coverage
                where hour >= to_timestamp({covered}) and kind <> 'opted_out' order by 1, 2"""),
        }

    def released(self, since):
        """What became known for good from an instant on, and what stayed, with the reasons."""
        periods = f"from throng.release as r where r.period_end > to_timestamp({since})"
        cells = f"""from throng.release as r join throng.{{}} as c using (release_id)
            where r.period_end > to_timestamp({since}) order by 1, 2, 3, 4, 5"""
        name = "r.metric, r.period_kind, r.period_start"
        return {
            "releases": self.sql(f"select {name}, r.threshold, r.header, encode(r.digest, 'hex') {periods} order by 1, 2, 3"),
            "published": self.sql(f"""select {name}, c.margin, c.cell, c.buckets, c.count, c.sums, c.reach, c.firsts
                {cells.format("released_cell")}"""),
            "withheld": self.sql(f"""select {name}, c.margin, c.cell, c.reason, c.floor {cells.format("withheld_cell")}"""),
            "reports": self.sql(f"""select report, period_start, name, encode(contents, 'escape') from throng.run_file
                where period_start >= to_timestamp({since}) - interval '1 day' and name not like '%manifest%'
                order by 1, 2, 3"""),
        }

    def has_calendar(self):
        """Whether all metrics have a period that waits."""
        return self.sql("select count(distinct metric_id) from throng.open_period") == [["6"]]

    def has_no(self, purpose):
        """Whether all windows of a purpose are counted for good: their keys are gone."""
        return not any(purpose.encode() in text for _, text in daemon.files(os.path.join(self.data, "windows")))

    def is_settled(self):
        """Whether everything that is due is released, and in reports."""
        now = self.clock.now()
        open = self.sql(f"""select count(*) from (
                select metric_id, period_end from throng.open_period
                union all select metric_id, period_end from throng.open_rollup
            ) as open where period_end + interval '6 hours' <= to_timestamp({now})""")
        made = self.sql(f"""select count(*) from throng.report_run where finished_at is not null
            and period_start = to_timestamp({now // DAY * DAY - DAY})""")
        return open == [["0"]] and made == [["1"]]


class Identifier:
    """A device in a window of a purpose: what it sends, and whether it wants that back."""

    def __init__(self, chance, purpose, start, slot, isHeavy):
        self.purpose, self.slot, self.goes = purpose, slot, False
        self.window = (start + slot * HOUR) // ROTATIONS[purpose]
        self.name = chance.randbytes(16).hex()
        system = chance.choice(["iOS", "iOS", "Android", "BeOS"])
        names = [name for name, purpose in EVENTS.items() if purpose == self.purpose]
        #: With the hour in which each comes: a visit's window is taken for one hour more, a day's for a day.
        self.batches = []
        for _ in range(chance.randint(1, 2)):
            latest = SLOTS - 1 if purpose == "product" else min(SLOTS - 1, slot + 1)
            events = []
            for _ in range(chance.randint(1, 4)):
                name = chance.choice(names)
                fields = {"page": chance.choice(["home", "home", "cart", "till"])}
                if name != "look":
                    fields["os"] = system
                if name in ("buy", "pay"):
                    fields["paid"] = 500 if isHeavy else chance.choice([-50, 0, chance.randint(-80, 600), chance.randint(1, 9)])
                at = start + slot * HOUR - chance.randint(0, 1800)
                count = 3 if isHeavy else chance.randint(1, 3)
                events.append({"event": name, "at": stamp(at), "count": count, "fields": fields})
            if chance.random() < 0.2:
                events.append({"event": "nothing", "at": events[0]["at"], "fields": {}})
            self.batches.append((chance.randint(slot, latest), {
                "app": "shop", "batch": chance.randbytes(16).hex(), "purpose": purpose, "window": self.window, "id": self.name,
                "events": events}))

    def request(self, chance, places):
        """When it asks to be taken out: before all that it sends, in between, or after, while its window is taken. In hours."""
        latest = min(SLOTS, self.slot + 2) if self.purpose == "visit" else SLOTS
        return max(self.slot, chance.choice([
            min(places) - 1e-6, chance.uniform(min(places), max(places)), chance.uniform(max(places), latest)]))


class Day:
    """A crowd of a day: whom it has, and what they do in which order. Nobody, one of them, some or all withdraw."""

    def __init__(self, chance, start, size=None, going=None):
        self.start = start
        size = size or chance.choice([1, 4, 10, 25, 40, 60])
        self.identifiers = []
        for _ in range(size):
            purpose, isHeavy = chance.choice(list(ROTATIONS)), chance.random() < 0.1
            slots = [chance.randrange(SLOTS)] if purpose == "product" else range(chance.randint(1, 2))
            self.identifiers += [Identifier(chance, purpose, start, slot, isHeavy) for slot in slots]
        count = len(self.identifiers)
        going = going or chance.choice([1, 1, 1 + count // 4, 1 + count // 3, 1 + count // 2, count])
        self.going = chance.sample(self.identifiers, min(count, going))
        acts = []
        for each in self.identifiers:
            each.goes = each in self.going
            places = [hour + chance.random() for hour, _ in each.batches]
            acts += [(place, each, batch) for place, (_, batch) in zip(places, each.batches)]
            if each.goes:
                acts.append((each.request(chance, places), each, None))
        for _, each, what in chance.sample(acts, min(len(acts), chance.randint(0, 3))):
            # The house comes to rest just before it or after.
            place = next(place for place, one, other in acts if one is each and other is what)
            acts.append((place + chance.choice([-2e-6, 2e-6]), None, None))
        #: By hour of the crowd, in order: a batch, a request (of no batch), or a rest (of nobody).
        self.acts = [[] for _ in range(SLOTS)]
        for place, each, batch in sorted(acts, key=lambda act: act[0]):
            self.acts[min(SLOTS - 1, max(0, int(place)))].append((each, batch))
        #: After which hour somebody tries to withdraw others; None where nobody does.
        self.forged = chance.choice([None, *range(SLOTS)])

    def at(self, slot):
        return self.start + slot * HOUR

    @property
    def over(self):
        """When the day is released and reported: half past six on the next morning."""
        return self.start // DAY * DAY + DAY + 6 * HOUR + 1800

    @property
    def staying(self):
        """Of the day's windows those who did not withdraw, and all of whose events are released with the day."""
        last = self.at(SLOTS) < self.start // DAY * DAY + DAY
        return [each for each in self.identifiers if not each.goes and each.purpose == "product" and last]
