"""What devices say of themselves ends up exactly in the released numbers: firsts by day and week, retention, frequency.

Devices that keep a memory of their own are simulated over three weeks, offline days, repeated batches and a kill -9
included; what a crowd really did is computed beside them from sets of devices."""

import calendar
import collections
import json
import os
import random
import time

import daemon
from daemon import check, say
from first_light import ALL, Layouts, same
from moving_clock import MovingClock

DAY = 86400
MONDAY = 1772409600  # 2026-03-02, a Monday, 0:00 UTC; PostgreSQL does not see the moved clock and refuses a far future
DEVICES = int(os.environ.get("THRONG_TEST_DEVICES", "260"))
SEED = int(os.environ.get("THRONG_TEST_SEED", "20260302"))
DAYS = 14
PLAN = """
app: {name: kitchen, title: Kitchen, owner: Tests, contact: tests@example.com, audience: 300, threshold: 5,
  grace: 48 hours}
purposes:
  product: {explanation: To cook better., consent: not_required, rotation: 1 day, retention: 300 days}
dimensions:
  os: {title: System, field: os, list: [ios, android], partitions: devices}
  page: {title: Page, field: page, list: [home, soup, cake]}
  week: {title: Week, field: week, list: [0, 1, 2]}
  times: {title: Times, field: events, bands: [1, 3, 6]}
metrics:
  opened:
    {title: Opened, events: [opened], question: How many?, decision: None., owner: Tests, expires: 2027-02-01,
    purpose: product, dimensions: [os, page], period: day, rollups: [week], margins: [[os], [page], [os, page]],
    measures: {reach: client}}
  came_back:
    {title: Came back, events: [came_back], question: Who?, decision: None., owner: Tests, expires: 2027-02-01,
    purpose: product, dimensions: [week], period: week, answered: {retention: {of: [opened], weeks: 2}}}
  how_often:
    {title: How often, events: [opened_in_a_week], question: How often?, decision: None., owner: Tests,
    expires: 2027-02-01, purpose: product, dimensions: [times], period: week,
    answered: {frequency: {of: [opened], per: week, bands: [1, 3, 6]}}}
insights:
  reach: {title: Reach, metric: opened, kind: reach}
  by_page: {title: Reach by page, metric: opened, kind: reach, by: [page]}
  back: {title: Back, metric: came_back, kind: retention}
  often: {title: Often, metric: how_often, kind: frequency}
partners:
  printer: {title: Printer, contact: p@example.com}
reports:
  weekly: {title: Weekly, partner: printer, insights: [reach, by_page, back, often], period: week, formats: [json]}
"""
BANDS = {"<1": (0, 1), "1-3": (1, 3), "3-6": (3, 6), ">=6": (6, 10 ** 9)}


class Device:
    """Knows what it has contributed; nobody else does."""

    def __init__(self, place, dice):
        self.place = place
        self.dice = dice
        self.os = "plan9" if place < 3 else "ios" if dice.random() < 0.6 else "android"
        self.zeal = dice.choice([0.05, 0.3, 0.6, 0.9])
        self.said = set()
        self.weeks = collections.Counter()
        # Some begin in the second week, and some leave for good.
        self.begins = 7 if dice.random() < 0.3 else 0
        self.leaves = dice.randrange(DAYS) if dice.random() < 0.2 else DAYS
        self.waiting = []
        self.was_offline = False

    def firsts(self, groupings, at, page):
        """For which groupings this is the first event of the day and of the week."""
        buckets = {"os": self.os, "page": page}
        found = {}
        for period, length in (("day", DAY), ("week", 7 * DAY)):
            for place, names in enumerate(groupings):
                memory = (period, (at - MONDAY) // length, place, tuple(buckets[name] for name in names))
                if memory not in self.said:
                    self.said.add(memory)
                    found.setdefault(period, []).append(names)
        return {"opened": found} if found else None

    def live(self, day, groupings):
        """The events of a day, in their order."""
        if not self.begins <= day < self.leaves or self.dice.random() > self.zeal:
            return []
        events = []
        for second in sorted(self.dice.randrange(DAY) for _ in range(self.dice.randint(1, 5))):
            at = MONDAY + day * DAY + second
            page = self.dice.choice(["home", "home", "soup", "cake"] if self.place % 40 else ["attic"])
            event = {"event": "opened", "at": stamp(at), "fields": {"page": page}}
            if self.dice.random() < 0.3:
                event["count"] = self.dice.randint(2, 3)
            firsts = self.firsts(groupings, at, page)
            if firsts:
                event["firsts"] = firsts
            if not self.weeks[day // 7]:
                # The first event of a week answers which one it is.
                self.weeks[day // 7] = 0
                since = day // 7 - min(self.weeks)
                events.append({"event": "came_back", "at": stamp(at), "fields": {"week": str(since)}})
            self.weeks[day // 7] += event.get("count", 1)
            events.append(event)
        return events

    def answers(self, week, now):
        """What it says once a week is over."""
        if not self.weeks.get(week):
            return []
        return [{"event": "opened_in_a_week", "at": stamp(now), "fields": {"events": self.weeks[week]}}]


def stamp(at):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))


class World:
    def __init__(self):
        self.house = daemon.Daemon(PLAN, name="kitchen")
        self.clock = MovingClock(self.house.folder, MONDAY + 8 * 3600)
        self.house.settings = self.clock.variables
        self.house.start()
        self.dice = random.Random(SEED)
        self.devices = [Device(place, random.Random(SEED * 1000 + place)) for place in range(DEVICES)]
        public = json.loads(self.house.get("/v1/plan/kitchen")[2])
        metric = next(each for each in public["metrics"] if each["name"] == "opened")
        check(metric["first_periods"] == ["day", "week"], "the plan asks for", metric["first_periods"])
        self.groupings = metric["first_groupings"]
        check(self.groupings == [[], ["os"], ["page"], ["os", "page"]], "the plan asks for", self.groupings)
        # What really happened: by period kind, start and cell the devices, and the events.
        self.seen = collections.defaultdict(set)
        self.events = collections.Counter()
        self.repeated = 0

    def post(self, device, events):
        now = self.clock.now()
        body = json.dumps({
            "app": "kitchen", "batch": os.urandom(16).hex(), "purpose": "product", "window": now // DAY,
            "id": f"{device.place}-{now // DAY}", "context": {"os": device.os}, "events": events})
        for _ in range(2 if self.dice.random() < 0.15 else 1):
            status, _, answer = self.house.post(body)
            check(status == 202 and json.loads(answer)["refused"] == [], "a batch was answered", status, answer)
            self.repeated += 1
        self.repeated -= 1

    def note(self, device, events):
        for event in events:
            if event["event"] != "opened":
                continue
            page = event["fields"]["page"]
            buckets = {
                "os": "other" if device.os == "plan9" else device.os, "page": "other" if page == "attic" else page}
            at = calendar.timegm(time.strptime(event["at"], "%Y-%m-%dT%H:%M:%SZ"))
            for kind, length in ((1, DAY), (2, 7 * DAY)):
                start = MONDAY + (at - MONDAY) // length * length
                for names in self.groupings:
                    cell = (kind, start, tuple((name, buckets[name]) for name in names))
                    self.seen[cell].add(device.place)
                    self.events[cell] += event.get("count", 1)

    def send(self, device):
        if device.waiting:
            self.note(device, device.waiting)
            self.post(device, device.waiting)
            device.waiting = []

    def live(self):
        for day in range(DAYS):
            # Late in the day, so that all of it is past.
            self.clock.move(MONDAY + (day + 1) * DAY - 300)
            for device in self.devices:
                device.waiting += device.live(day, self.groupings)
                # Who is offline sends with the next day's batch.
                device.was_offline = not device.was_offline and self.dice.random() < 0.2
                if not device.was_offline:
                    self.send(device)
            if day == 4:
                self.house.kill()
                self.house.start()
            if day % 7 == 6:
                self.clock.move(MONDAY + (day + 1) * DAY + 7200)
                for device in self.devices:
                    self.send(device)
                    # Who has left says nothing any more; that it had been back is said.
                    answers = device.answers(day // 7, self.clock.now()) if device.leaves == DAYS else []
                    if answers:
                        self.post(device, answers)
                # Counters go a week after their release, so each week is compared as soon as it is over.
                self.house.drain()
                compare_counters(self, day // 7)
        say(f"{len(self.events):,} cells, {sum(self.events.values()) // 8:,} events, {self.repeated} batches again")


def compare_counters(world, week):
    """Every leaf's firsts, added up to every cell of every grouping, small ones too."""
    layouts = Layouts(world.house)
    firsts = {
        metric_id: json.loads(text).get("firsts")
        for metric_id, text in world.house.sql("select metric_id, layout from throng.metric_layout")}
    found = collections.Counter()
    for metric_id, start, measure, cell, value in world.house.sql(
            "select metric_id, extract(epoch from period_start)::bigint, measure, cell, value from throng.counter"
            " where value <> 0 and measure > 0"
            f" and period_start >= to_timestamp({MONDAY + week * 7 * DAY})"):
        layout = firsts[metric_id]
        check(is_known(layout), "only firsts follow the count here")
        labels = dict(layouts.labels(metric_id, ALL, int(cell))[1])
        length, grouping = divmod(int(measure) - 1, len(layout["groupings"]))
        kept = [name for place, name in enumerate(["os", "page"]) if layout["groupings"][grouping]["bits"] >> place & 1]
        kind, seconds = ((1, DAY), (2, 7 * DAY))[length]
        begin = MONDAY + (int(start) - MONDAY) // seconds * seconds
        found[(kind, begin, tuple((name, labels[name]) for name in kept))] += int(value)
    truth = {
        cell: len(devices) for cell, devices in world.seen.items() if cell[1] >= MONDAY + week * 7 * DAY}
    same("devices by firsts, as counted", truth, dict(found))


def is_known(layout):
    return layout is not None and layout["periods"] == ["day", "week"]


def compare_releases(world):
    layouts = Layouts(world.house)
    found = {}
    for metric, kind, start, margin, cell, count, reach, firsts in world.house.sql(
            "select metric_id, r.period_kind, extract(epoch from period_start)::bigint, margin, cell, count, reach,"
            " firsts from throng.released_cell join throng.release as r using (release_id)"
            f" where r.metric = 'opened' and period_start < to_timestamp({MONDAY + DAYS * DAY})"):
        labels = layouts.labels(metric, int(margin), int(cell))[1]
        found[(int(kind), int(start), labels)] = (int(count), None if firsts is None else int(firsts))
        check(reach is None, "devices are told in two ways:", labels, reach, firsts)
    truth = {cell: (world.events[cell], len(devices)) for cell, devices in world.seen.items()}
    same("released cells", {cell: truth[cell] for cell in found}, found)
    check(min(devices for _, devices in found.values()) >= 5, "a published cell stands for fewer than k")
    large = [cell for cell, devices in world.seen.items() if len(devices) >= 5]
    # Floors are smaller than what devices say.
    check(len(found) > len(large) / 3, "only", len(found), "of", len(large), "large cells were published")
    check(any(kind == 2 for kind, _, _ in found), "no week was released")
    for cell in found:
        check(cell[0] == 2 or len(world.seen[(2, MONDAY + (cell[1] - MONDAY) // (7 * DAY) * 7 * DAY, cell[2])])
              >= len(world.seen[cell]), "a day has more than its week")
    [[shown]] = world.house.sql("select count(client_devices) from analyst.kitchen_opened")
    check(int(shown) >= len(found), "the analysts' view has", shown)
    say("released:", len(found), "cells, of", len(large), "large ones and", len(truth), "in all")


def report(world, week):
    folder = os.path.join(world.house.folder, "given", f"week-{week}")
    label = time.strftime("%G-W%V", time.gmtime(MONDAY + week * 7 * DAY))
    code, out, talk = world.clock.run(
        "report", "--plan", world.house.plan, "--data", world.house.data, "--period", label, "--partner", "printer",
        "--out", folder)
    check(code == 0, "throng report ended with", code, talk)
    with open(os.path.join(folder, f"weekly-{label}.json")) as file:
        return {each["name"]: each for each in json.load(file)["insights"]}


def compare_reports(world):
    reports = [report(world, week) for week in range(DAYS // 7 + 1)]
    for week, insights in enumerate(reports[:-1]):
        start = MONDAY + week * 7 * DAY
        check(insights["reach"]["basis"]["devices"] == "client_firsts", "the report names its basis")
        check(insights["reach"]["rows"][0]["value"] == len(world.seen[(2, start, ())]), "the week's reach")
        for row in insights["by_page"]["rows"]:
            if row["status"] == "published":
                cell = (2, start, (("page", row["buckets"][0]),))
                check(row["value"] == len(world.seen[cell]), cell, row)
    # That a device is back is said in its week; how often it was, in the week after.
    insights = {"back": reports[1]["back"], "often": reports[2]["often"]}
    back, often = collections.Counter(), collections.Counter()
    for device in world.devices:
        if device.weeks[1]:
            back["1" if device.weeks[0] else "0"] += 1
            if device.leaves == DAYS:
                often[next(label for label, (low, high) in BANDS.items() if low <= device.weeks[1] < high)] += 1
    check(any(device.weeks[1] and device.leaves < DAYS for device in world.devices), "nobody left in the second week")
    shown = 0
    for row in insights["back"]["rows"]:
        if row["status"] == "published":
            week = row["buckets"][0]
            check((row["numerator"], row["denominator"]) == (back[week], back["0"]), week, row, back)
            shown += 1
    check(shown == 2, "weeks 0 and 1 are published:", insights["back"]["rows"], back)
    for row in insights["often"]["rows"]:
        if row["status"] == "published":
            check(row["value"] == often[row["buckets"][0]], row, often)
            shown += 1
    check(shown >= 4, "bands are published:", insights["often"]["rows"], often)
    check(insights["often"]["basis"]["devices"] == "client_answers", "the report names its basis")
    say("reports say what devices did:", dict(back), dict(often))


def test():
    world = World()
    world.live()
    world.clock.move(MONDAY + 24 * DAY)
    code, out, talk = world.clock.run("release", "--plan", world.house.plan, "--data", world.house.data)
    check(code == 0, "throng release ended with", code, out, talk)
    compare_releases(world)
    compare_reports(world)
    check(world.house.stop() == 0, "serve stops gracefully")


if __name__ == "__main__":
    daemon.main(test)
