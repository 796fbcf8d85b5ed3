"""Four hundred days of a real daemon, with restarts, changes of its plan and an app that retires: what was planted on a day is
found nowhere once its age has come, and what is promised to stay is there, to the unit."""

import json
import os
import re
import subprocess
import time

import daemon
from daemon import check, say
from moving_clock import MovingClock

DAY = 86400
# A Monday more than 400 days ago: PostgreSQL takes no periods that lie far ahead of its own clock.
START = (int(time.time()) // DAY - 410 + 3) // 7 * 7 * DAY - 3 * DAY
SYSTEMS = {"ios": "mobile", "android": "mobile", "windows": "desktop", "linux": "desktop"}
DEVICES = 24
WEEK = range(7)
SHOP = "shop"


def date(day):
    return time.strftime("%Y-%m-%d", time.gmtime(START + day * DAY))


def metric(name, purpose, decay, expires):
    return f"""
  {name}:
    {{title: {name.title()}, events: [{name}], question: What is spent?, decision: None., owner: Tests, expires: {expires},
    purpose: {purpose}, dimensions: [os], margins: [[os], [platform]], period: day, contribution_bound: 10,
    measures: {{sums: {{amount_of_{name}: {{field: amount, from: 0, to: 20000000, decimals: 0, unit: EUR}}}}}},
    rollups: [week]{decay}}}"""


DECAY = ", decay: [{after: 30 days, coarsen: os, to: platform}, {after: 90 days, keep: weeks}, {after: 365 days, keep: totals}]"


def plan(app, version=1):
    """Version 2 keeps `sales` much longer and names another partner; version 3 keeps `gifts` for less."""
    product, extra = ("380 days" if version == 1 else "900 days"), ("900 days" if version < 3 else "100 days")
    decay, expires = (DECAY, date(350)) if version == 1 else ("", date(480))
    late = "" if version == 1 else f"""
  daily_late:
    {{title: Late, partner: late, insights: [sales_total], period: day, formats: [csv, json], schedule: 0 6 * * *,
    deliver: [{{folder: out/late}}]}}"""
    named = "" if version == 1 else "\n  late: {title: Late, contact: l@example.com}"
    retired = app != SHOP
    return f"""
app: {{name: {app}, title: {app.title()}, owner: Tests, contact: t@example.com, audience: 100, threshold: 5, grace: 3 hours}}
purposes:
  product: {{explanation: To see., consent: not_required, rotation: 1 day, retention: {"60 days" if retired else product}}}
  extra: {{explanation: To see more., consent: not_required, rotation: 1 day, retention: {"60 days" if retired else extra}}}
dimensions:
  os: {{title: System, field: os, list: [ios, android, windows, linux], partitions: devices}}
  platform: {{title: Platform, of: os, groups: {{mobile: [ios, android], desktop: [windows, linux]}}}}
metrics:{metric("sales", "product", "" if retired else decay, expires)}{metric("gifts", "extra", "", expires)}
insights:
  sales_os: {{title: By system, metric: sales, kind: mean, sum: amount_of_sales, by: [os]}}
  sales_platform: {{title: By platform, metric: sales, kind: mean, sum: amount_of_sales, by: [platform]}}
  sales_total: {{title: All, metric: sales, kind: mean, sum: amount_of_sales}}
partners:
  board: {{title: Board, contact: b@example.com}}{named}
reports:
  daily:
    {{title: Daily, partner: board, insights: [sales_os, sales_total], period: day, formats: [html, csv, json],
    schedule: 0 6 * * *, deliver: [{{folder: out/{app}}}]}}
  weekly:
    {{title: Weekly, partner: board, insights: [sales_platform], period: week, formats: [csv, json], schedule: 0 6 * * *,
    deliver: [{{folder: out/{app}}}]}}{late}
"""


class House(daemon.Daemon):
    def __init__(self):
        super().__init__(plan(SHOP), name=SHOP)
        self.other = os.path.join(self.folder, "gone.yaml")
        with open(self.other, "w") as file:
            file.write(plan("gone"))
        self.plans, self.served = [self.plan, self.other], "'shop', 'gone'"
        self.clock = MovingClock(self.folder, START - 3600)
        self.settings = {**self.clock.variables, "THRONG_SCHEDULE_SECONDS": "1"}
        # By what it is: app, metric, first day, number of days, bucket ("" for all); its value.
        self.planted = {}

    def arguments(self):
        found = super().arguments()
        place = found.index("--plan")
        return found[:place] + [each for path in self.plans for each in ("--plan", path)] + found[place + 2:]

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

    def change(self, version):
        check(self.stop() == 0, "serve stops gracefully")
        with open(self.plan, "w") as file:
            file.write(plan(SHOP, version))
        self.start()

    def at(self, day, hour=12):
        self.clock.move(START + day * DAY + hour * 3600)

    def plant(self, app, metric, day):
        """Devices that spend an amount by which day, metric and system are known; so are the sums."""
        self.at(day)
        number = 4 * (day + 1000 * (metric == "gifts") + 3000 * (app != SHOP))
        for place, (system, platform) in enumerate(SYSTEMS.items()):
            amount = 3_000_017 + 1009 * (number + place)
            for device in range(DEVICES):
                status, _, body = self.post(json.dumps({
                    "app": app, "batch": os.urandom(16).hex(), "purpose": "product" if metric == "sales" else "extra",
                    "window": self.clock.now() // DAY, "id": f"{day} {system} {device}", "context": {"os": system},
                    "events": [{"event": metric, "at": f"{date(day)}T12:00:00Z", "fields": {"amount": amount}}]}))
                check(status == 202 and json.loads(body)["accepted"] == 1, status, body)
            for bucket in (system, platform, ""):
                for first, days in ((day, 1), (day // 7 * 7, 7)):
                    key = (app, metric, first, days, bucket)
                    self.planted[key] = self.planted.get(key, 0) + DEVICES * amount
        self.drain()

    def settle(self, day, hour=7):
        """Waits, at seven on a morning, until what was due is released and reported, and age has taken its part."""
        self.at(day, hour)
        deadline = time.monotonic() + 240
        while time.monotonic() < deadline:
            waiting = self.sql(f"""select count(*) from (
                    select metric_id, period_end from throng.open_period
                    union all select metric_id, period_end from throng.open_rollup
                ) as open join throng.metric_layout using (metric_id)
                where app in ({self.served}) and period_end + interval '3 hours' <= to_timestamp({self.clock.now()})""")
            if waiting == [["0"]]:
                return
            time.sleep(0.5)
        raise daemon.Failure("not everything was released by", day, "\n" + self.log_text()[-3000:])

    def places(self):
        """By place, all text that is at rest there."""
        dump = subprocess.run(
            ["pg_dump", "-h", self.data + "/postgres", "-U", "postgres", "throng"], capture_output=True, timeout=600)
        check(dump.returncode == 0, "pg_dump:", dump.stderr)
        found = {"the dump": dump.stdout.decode(errors="replace")}
        found["files of reports"] = "\n".join(
            row[0] or "" for row in self.sql("select encode(contents, 'escape') from throng.run_file"))
        for where, folders, names in os.walk(self.data):
            # Its tables are in the dump.
            folders[:] = [name for name in folders if name != "postgres"]
            for name in names:
                path = os.path.join(where, name)
                if os.path.isfile(path):
                    with open(path, "rb") as file:
                        found[os.path.relpath(path, self.data)] = file.read().decode(errors="replace")
        return found

    def found(self):
        """What of the planted is at rest, and where."""
        numbers = {str(value): key for key, value in self.planted.items()}
        found = {}
        for place, text in self.places().items():
            # HTML groups digits.
            plain = re.sub(r"(?<=\d)[,\u202f\u2009](?=\d{3})", "", text)
            for number in set(re.findall(r"(?<![\d.])\d{8,11}(?!\d)", plain)) & numbers.keys():
                found.setdefault(numbers[number], []).append(place)
        return found


def kept(key, day, versions):
    """Whether something planted is to be there in the morning of a day, by the plans as they were put in force: by the age that
    was promised when it was counted, and by each promise since that takes more."""
    app, metric, first, days, bucket = key
    age = day - (first + days)
    if age < 0:
        return None
    if app != SHOP:
        return age < 60
    if metric == "gifts":
        shortest = 100 if versions.get(3, 10_000) <= day else 900
        return age < shortest
    if first >= versions.get(2, 10_000):
        return age < 900
    if bucket in SYSTEMS and age >= 30 or days == 1 and age >= 90 or bucket and age >= 365:
        return False
    return age < 380


def verify(house, day, versions, seconds=120):
    """Everything that is to be there is, and nothing else."""
    deadline = time.monotonic() + seconds
    while True:
        found = house.found()
        expected = {key: kept(key, day, versions) for key in house.planted}
        # A number of one day of a week of one day is the week's, too.
        values = {house.planted[key] for key, is_kept in expected.items() if is_kept}
        unknown = {house.planted[key] for key, is_kept in expected.items() if is_kept is None}
        over = {key: places for key, places in found.items() if house.planted[key] not in values | unknown}
        missing = values - {house.planted[key] for key in found}
        if not over and not missing:
            say(f"day {day}: {len(values)} of {len(set(house.planted.values()))} planted numbers are there, as promised")
            return found
        check(time.monotonic() < deadline, f"day {day}: is still there:", over, "is missing:",
              [key for key, value in house.planted.items() if value in missing])
        time.sleep(1)


def label(house, *words):
    code, text, talk = house.clock.run("plan", "label", house.plan)
    check(code == 0, code, talk)
    for word in words:
        check(word in text, "the label does not say", word, "\n" + text)


def reports(house, app):
    folder = os.path.join(house.data, "out", app)
    return sorted(os.listdir(folder)) if os.path.isdir(folder) else []


def wait(what, *words, seconds=60):
    deadline = time.monotonic() + seconds
    while not what():
        check(time.monotonic() < deadline, *words)
        time.sleep(0.5)


def test():
    house = House()
    check(house.clock.run("key", "new", "--data", house.data)[0] == 0, "a key")
    house.start()
    versions = {}
    for day in WEEK:
        house.plant(SHOP, "sales", day)
        if day == 0:
            house.plant(SHOP, "gifts", day)
            house.plant("gone", "sales", day)
        house.settle(day + 1)
    house.settle(8)
    found = verify(house, 8, versions)
    check(any("out/" in place for places in found.values() for place in places), "reports hold what was planted")
    check(f"daily-{date(0)}.csv" in reports(house, SHOP) and f"daily-{date(0)}.csv" in reports(house, "gone"), reports(house, SHOP))
    label(house, "380 days", "900 days")
    say("a week is counted, released and reported")

    house.settle(30)
    verify(house, 30, versions)
    # The control: a daemon whose rounds come once a day takes nothing for a while. What should have gone is found.
    check(house.stop() == 0, "serve stops gracefully")
    house.plans, house.served = [house.plan], "'shop'"
    house.settings["THRONG_FAULT"] = "trust_clock"
    house.at(30, 8)
    house.settings["THRONG_SCHEDULE_SECONDS"] = "86400"
    house.start()
    house.at(31)
    over = [key for key in house.found() if kept(key, 31, versions) is False]
    check(over, "the search finds what should have gone")
    check(house.stop() == 0, "serve stops gracefully")
    house.settings["THRONG_SCHEDULE_SECONDS"] = "1"
    house.start()
    for day in (31, 37, 40):
        house.settle(day)
        verify(house, day, versions)
    house.settle(61)
    verify(house, 61, versions)
    wait(lambda: f"daily-{date(0)}.csv" not in reports(house, "gone"), "copies of an app that retired go, too")
    check(f"daily-{date(1)}.csv" in reports(house, "gone"), "on their day:", reports(house, "gone"))
    check(f"daily-{date(0)}.csv" not in reports(house, SHOP), reports(house, SHOP))
    say("an app without a plan keeps nothing longer")

    for day in (91, 97, 119):
        house.settle(day)
        verify(house, day, versions)
    wait(lambda: reports(house, "gone") == [], "copies are left of an app that retired")
    house.at(120, 8)
    house.change(2)
    versions[2] = 121
    label(house, "900 days", "Late")
    house.plant(SHOP, "sales", 130)
    house.settle(131)
    verify(house, 131, versions)
    wait(lambda: f"daily_late-{date(130)}.csv" in reports(house, "late"), "the later partner has the days since")
    check(all(name >= "daily_late-" + date(121) for name in reports(house, "late")), reports(house, "late"))
    say("a later plan keeps longer what is counted from then on, and tells nobody else what was counted before")

    house.settle(209)
    house.plant(SHOP, "gifts", 210)
    house.settle(249)
    verify(house, 249, versions)
    house.at(250, 8)
    house.change(3)
    versions[3] = 250
    label(house, "100 days")
    for day in (251, 310, 311, 371, 372, 386, 387, 400):
        house.settle(day)
        verify(house, day, versions)
    def status():
        return house.clock.run("retention", "status", "--data", house.data, "--plan", house.plan)

    wait(lambda: status()[0] == 0, "nothing is late")
    code, text, talk = house.clock.run("retention", "ledger", "--data", house.data, "--json")
    kinds = {(each["app"], each["kind"]) for each in json.loads(text)}
    check(code == 0 and {("shop", "numbers"), ("shop", "copies"), ("shop", "files"), ("gone", "numbers"), ("gone", "copies")} <= kinds,
          code, kinds, talk)
    say("four hundred days, and the ledger tells what went")


if __name__ == "__main__":
    daemon.main(test)
