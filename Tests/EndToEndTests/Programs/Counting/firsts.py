"""What devices say of themselves ends up exactly in the released numbers: firsts by day and week, retention, frequency, through a
kill -9. ThrongClientTests/SimulationTests have crowds that are unreliable about it for a month."""

import collections
import json
import os
import time

import daemon
from daemon import check, say
from moving_clock import MovingClock

DAY = 86400
MONDAY = 1772409600  # 2026-03-02, a Monday, 0:00 UTC; PostgreSQL does not see the moved clock and refuses a far future
PLAN = """
app: {name: kitchen, title: Kitchen, owner: Tests, contact: tests@example.com, audience: 300, threshold: 5,
  grace: 48 hours}
purposes:
  product: {explanation: To cook better., consent: not_required, rotation: 1 day, retention: 300 days}
dimensions:
  os: {title: System, field: os, list: [ios, android], partitions: devices}
  week: {title: Week, field: week, list: [0, 1, 2]}
  times: {title: Times, field: events, bands: [1, 3, 6]}
metrics:
  opened:
    {title: Opened, events: [opened], question: How many?, decision: None., owner: Tests, expires: 2027-02-01,
    purpose: product, dimensions: [os], period: day, rollups: [week],
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
  by_os: {title: Reach by system, metric: opened, kind: reach, by: [os]}
  back: {title: Back, metric: came_back, kind: retention}
  often: {title: Often, metric: how_often, kind: frequency}
partners:
  printer: {title: Printer, contact: p@example.com}
reports:
  weekly: {title: Weekly, partner: printer, insights: [reach, by_os, back, often], period: week, formats: [json]}
"""
# By day of two weeks, which devices come: those of the first week, some of them again, and newcomers.
DAYS = {0: range(36), 1: range(0, 36, 3), 7: range(24, 48), 8: range(24, 48, 4)}
NEWCOMERS = range(36, 48)


def system(device):
    return ("ios", "android")[device % 2]


def times(device):
    """How often it opens the app on a day when it comes."""
    return 1 + device % 3


class House(daemon.Daemon):
    def __init__(self):
        super().__init__(PLAN, name="kitchen")
        self.clock = MovingClock(self.folder, MONDAY)
        self.settings = self.clock.variables
        self.start()
        public = json.loads(self.get("/v1/plan/kitchen")[2])
        metric = next(each for each in public["metrics"] if each["name"] == "opened")
        check((metric["first_periods"], metric["first_groupings"]) == (["day", "week"], [[], ["os"]]), "the plan asks for", metric)

    def command(self, *words):
        return super().command(*words, "--plan", self.plan, "--data", self.data)

    def send(self, device, *events):
        now = self.clock.now()
        body = json.dumps({
            "app": "kitchen", "batch": os.urandom(16).hex(), "purpose": "product", "window": now // DAY,
            "id": f"{device}-{now // DAY}", "context": {"os": system(device)},
            "events": [{**each, "at": daemon.instant(now)} for each in events]})
        # Some come twice.
        for _ in range(1 + (device % 7 == 0)):
            status, _, answer = self.post(body)
            check(status == 202 and json.loads(answer)["refused"] == [], "a batch was answered", status, answer)

    def report(self, week):
        label = time.strftime("%G-W%V", time.gmtime(MONDAY + week * 7 * DAY))
        folder = os.path.join(self.folder, "given", label)
        self.command("report", "--period", label, "--partner", "printer", "--out", folder)
        return {each["name"]: each for each in json.loads(daemon.read(folder, f"weekly-{label}.json"))["insights"]}


def live(house):
    """Four days, and what devices answer when a week is over. How often each came, by week."""
    came = [collections.Counter(), collections.Counter()]
    for day, devices in DAYS.items():
        week = day // 7
        house.clock.move(MONDAY + (day + 1) * DAY - 3600)
        for device in devices:
            groupings = [[], ["os"]]
            firsts = {"opened": {"day": groupings, **({} if came[week][device] else {"week": groupings})}}
            back = {"event": "came_back", "fields": {"week": str(int(week == 1 and device not in NEWCOMERS))}}
            opened = [{"event": "opened", "firsts": firsts}, *[{"event": "opened"}] * (times(device) - 1)]
            house.send(device, *([] if came[week][device] else [back]), *opened)
            came[week][device] += times(device)
        if day == 0:
            house.kill()
            house.start()
        if day % 7 == 1:
            house.clock.move(MONDAY + (week + 1) * 7 * DAY + 7200)
            for device, count in came[week].items():
                house.send(device, {"event": "opened_in_a_week", "fields": {"events": count}})
    house.drain()
    return came


def released(house, came):
    """Devices and events of days and weeks, by system and in all."""
    found = {(kind, int(start), os): (int(events), int(devices)) for kind, start, os, events, devices in house.sql(
                 "select period_kind, (extract(epoch from period_start)::bigint - %d) / 86400, os, events, client_devices"
                 " from analyst.kitchen_opened where events is not null" % MONDAY)}
    expected = {}
    for kind, start, devices, count in [*(("day", day, devices, times) for day, devices in DAYS.items()),
                                        *(("week", 7 * week, each, each.get) for week, each in enumerate(came))]:
        for os_ in ("ios", "android", "(all)"):
            those = [device for device in devices if os_ in (system(device), "(all)")]
            expected[kind, start, os_] = sum(map(count, those)), len(those)
    shown = {key: value for key, value in expected.items() if value[1] >= 5}
    # Floors of a week are those of its largest window.
    check(all(expected.get(key) == value for key, value in found.items()), "released is", found, "and true is", expected)
    check({key for key in shown if key[0] == "day"} <= set(found) and ("week", 7, "(all)") in found, "only", set(found), "is released")
    say(f"{len(found)} numbers of devices by their own firsts are released, each as it was")


def reported(house, came):
    reports = [house.report(week) for week in range(3)]
    for week in (0, 1):
        check(reports[week]["reach"]["basis"]["devices"] == "client_firsts", "the report names its basis")
        check(reports[week]["reach"]["rows"][0]["value"] == len(came[week]), "the week's reach:", reports[week]["reach"])
    # That a device is back is said in its week; how often it was, in the week after.
    new = len(NEWCOMERS)
    back = {row["buckets"][0]: (row["numerator"], row["denominator"]) for row in reports[1]["back"]["rows"] if row["status"] == "published"}
    check(back == {"0": (new, new), "1": (len(came[1]) - new, new)}, "back in the second week:", back)
    often = {row["buckets"][0]: row["value"] for row in reports[2]["often"]["rows"] if row["status"] == "published"}
    bands = collections.Counter("1-3" if count < 3 else "3-6" if count < 6 else ">=6" for count in came[1].values())
    check(often and often.items() <= bands.items() and "1-3" in often, "how often:", often, bands)
    check(reports[2]["often"]["basis"]["devices"] == "client_answers", "the report names its basis")
    say("reports say what devices did:", back, often)


def test():
    house = House()
    came = live(house)
    house.clock.move(MONDAY + 24 * DAY)
    house.command("release")
    released(house, came)
    reported(house, came)
    check(house.stop() == 0, "serve stops gracefully")
