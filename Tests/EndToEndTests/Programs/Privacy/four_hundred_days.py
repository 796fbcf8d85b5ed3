"""Four hundred days of a real daemon, with restarts, changes of its plan and an app that retires: what was planted on a day is
found nowhere once its age has come, not at rest, on no page, and in no backup of before; and what is promised to stay is there,
to the unit."""

import json
import os
import re
import shutil
import struct
import subprocess
import time

import daemon
import long_house
from backup_chain import Chain
from daemon import check, say, until
from visitors import Visitor
from long_house import DAY, START, date

SYSTEMS = {"ios": "mobile", "android": "mobile", "windows": "desktop", "linux": "desktop"}
DEVICES = 24
WEEK = range(7)
# Mornings on which pages are read, too.
SEEN = {8, 31, 37, 91, 131, 251, 311, 372, 400}
SHOP = "shop"


def metric(name, purpose, decay, expires):
    return f"""
  {name}:
    {{title: {name.title()}, events: [{name}], question: What is spent?, decision: None., owner: Tests, expires: {expires},
    purpose: {purpose}, dimensions: [os], margins: [[os], [platform]], period: day, contribution_bound: 10,
    measures: {{sums: {{amount_of_{name}: {{field: amount, from: 0, to: 20000000, decimals: 0, unit: EUR}}}}}},
    rollups: [week]{decay}}}"""


OLD = "plantedlog"
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


class House(long_house.House):
    def __init__(self):
        super().__init__({SHOP: plan(SHOP), "gone": plan("gone")})
        # By what it is: app, metric, first day, number of days, bucket ("" for all); its value.
        self.planted = {}

    def change(self, version):
        check(self.stop() == 0, "serve stops gracefully")
        with open(self.plan, "w") as file:
            file.write(plan(SHOP, version))
        self.start()

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

    def places(self):
        """By place, all text that is at rest there."""
        def dump():
            done = subprocess.run(
                ["pg_dump", "-h", self.data + "/postgres", "-U", "postgres", "throng"], capture_output=True, timeout=600)
            # What age takes meanwhile is missed: it is asked once more.
            check(done.returncode == 0 or b"does not exist" in done.stderr, "pg_dump:", done.stderr)
            return done.returncode == 0 and done.stdout

        found = {"the dump": until(dump, "age takes something again and again").decode(errors="replace")}
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

    def in_pages(self):
        """What of the planted is in PostgreSQL's own files, deleted or not: tables, indexes and the write-ahead log."""
        found = {}
        patterns = {key: struct.pack("<q", value) for key, value in self.planted.items()}
        for where, _, names in os.walk(os.path.join(self.data, "postgres")):
            for name in names:
                path = os.path.join(where, name)
                try:
                    with open(path, "rb") as file:
                        contents = file.read()
                except OSError:
                    # A segment that goes meanwhile.
                    continue
                for key, pattern in patterns.items():
                    if pattern in contents:
                        found.setdefault(key, []).append("postgres/" + os.path.relpath(path, self.data + "/postgres"))
        return found

    def leave_old_log(self):
        """Log segments as an earlier version leaves them: ready for use again, with what they held."""
        # How many segments PostgreSQL keeps for later is up to what it has written lately, and the daemon's rounds switch that off.
        deadline, left = time.monotonic() + 300, []
        while not left:
            check(time.monotonic() < deadline, "no log segment is used again")
            for line in (
                    "alter system set wal_recycle = on", "select pg_reload_conf()",
                    f"create table junk as select repeat('{OLD}', 20) || g as word from generate_series(1, 200000) as g",
                    *["select pg_switch_wal()", "checkpoint"] * 4, "drop table junk", "checkpoint"):
                self.sql(line)
            left = self.old_log()
        for line in ("alter system reset wal_recycle", "select pg_reload_conf()"):
            self.sql(line)

    def old_log(self):
        """The log segments that hold what an earlier version left there."""
        folder, found = os.path.join(self.data, "postgres", "data", "pg_wal"), []
        for name in os.listdir(folder):
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                with open(path, "rb") as file:
                    if OLD.encode() in file.read():
                        found.append(name)
        return found

    def shown(self):
        """By address, all that anybody is shown in a browser: partners, an analyst, an operator, and whoever asks."""
        found = {}
        for path in ("/", f"/apps/{SHOP}", f"/v1/plan/{SHOP}"):
            status, _, body = self.get(path)
            check(status == 200, path, "answers", status)
            found[f"page {path}"] = body.decode()
        days = {START + first * DAY for _, _, first, _, _ in self.planted}
        # Other periods had nobody: their reports are many, and alike.
        labels = {time.strftime(form, time.gmtime(day)) for day in days for form in ("-%Y-%m-%d.", "-%G-W%V.")}
        partners = ["board"] + (["late"] if "late:" in open(self.plan).read() else [])
        for first, role in [("/reports", ("--partner", name)) for name in partners] + [
                ("/explore", ("--analyst",)), ("/operator", ("--operator",))]:
            for address, text in Visitor(self, *role).pages(first, labels).items():
                found[f"page {address} of {role[-1]}"] = text
        return found

    def found(self, places):
        """What of the planted is there, and where."""
        numbers = {str(value): key for key, value in self.planted.items()}
        found = {}
        for place, text in places.items():
            # HTML groups digits, and CSV has the same comma between columns.
            plain = text + " " + re.sub(r"(?<=\d)[,\u202f\u2009](?=\d{3})", "", text)
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


def promised(house, day, versions):
    """Of the planted numbers those that are to be there in the morning of a day, and those that may be."""
    expected = {key: kept(key, day, versions) for key in house.planted}
    # A number of one day of a week of one day is the week's, too.
    values = {house.planted[key] for key, is_kept in expected.items() if is_kept}
    return values, {house.planted[key] for key, is_kept in expected.items() if is_kept is None}


def beyond(house, found, promise):
    """What is found, and where, that should have gone."""
    return {key: places for key, places in found.items() if house.planted[key] not in promise[0] | promise[1]}


def verify(house, day, versions, seconds=1200):
    """Everything that is to be there is, and nothing else, at rest or in a browser."""
    deadline = time.monotonic() + seconds
    values, _ = promise = promised(house, day, versions)
    while True:
        found = house.found(house.places())
        # Files are many bytes to look through.
        over = beyond(house, found, promise) or day in SEEN and beyond(house, house.in_pages(), promise)
        missing = values - {house.planted[key] for key in found}
        if not over and not missing:
            break
        check(time.monotonic() < deadline, f"day {day}: is still there:", over, "is missing:",
              [key for key, value in house.planted.items() if value in missing])
        time.sleep(1)
    if day not in SEEN:
        say(f"day {day}: {len(values)} of {len(set(house.planted.values()))} planted numbers are there, as promised")
        return found, None
    shown = house.found(house.shown())
    over = beyond(house, shown, promise)
    check(not over, f"day {day}: is still shown:", over)
    say(f"day {day}: {len(values)} of {len(set(house.planted.values()))} planted numbers are there, as promised, and on pages "
        f"{len(shown)}")
    return found, shown


def verify_backups(house, chain, day, versions):
    """What age has taken can't be read in a backup of before either, with the keys that are left."""
    chain.export()
    for name in chain.names:
        found = house.found(chain.texts(name))
        over = beyond(house, found, promised(house, day, versions))
        check(not over, f"day {day}: can be read in a backup:", over)
        check(found or name not in chain.names[-1:], f"day {day}: nothing can be read in the last backup")
        say(f"day {day}: {len(found)} planted numbers can be read in the backup {name}, all of them promised")


def label(house, *words):
    code, text, talk = house.clock.run("plan", "label", house.plan)
    check(code == 0, code, talk)
    for word in words:
        check(word in text, "the label does not say", word, "\n" + text)


def reports(house, app):
    folder = os.path.join(house.data, "out", app)
    return sorted(os.listdir(folder)) if os.path.isdir(folder) else []


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
    found, shown = verify(house, 8, versions)
    seen = " ".join(place for places in shown.values() for place in places)
    for word in ("/explore?", "/explore.csv?", ".csv of board", ".json of board"):
        check(word in seen, "what was planted is not seen in a page with", word, "in its address")
    check(any("out/" in place for places in found.values() for place in places), "reports hold what was planted")
    for app in (SHOP, "gone"):
        check(f"daily-{date(0)}.csv" in reports(house, app), reports(house, app))
    label(house, "380 days", "900 days")
    say("a week is counted, released and reported")
    check(len(house.in_pages()) > 50, "what was planted can be seen in PostgreSQL's own files")
    chain = Chain(house)
    chain.add("first")
    shutil.copy(chain.at("keys"), chain.at("old keys"))
    check(len(house.found(chain.texts("first"))) > 50, "what was planted can be read in a backup")

    house.settle(30)
    verify(house, 30, versions)
    house.leave_old_log()
    # The control: a daemon whose rounds come once a day takes nothing for a while. What should have gone is found.
    check(house.stop() == 0, "serve stops gracefully")
    house.plans = [house.plan]
    house.settings["THRONG_FAULT"] = "trust_clock"
    house.at(30, 8)
    house.settings["THRONG_TEST_SCHEDULE_SECONDS"] = "86400"
    house.start()
    morning = START + 30 * DAY + 8 * 3600
    until(lambda: house.sql(f"select 1 from throng.clock where believed_at >= to_timestamp({morning})"), "no round is made")
    time.sleep(3)
    house.at(31)
    for search in (house.places, house.shown):
        over = [key for key in house.found(search()) if kept(key, 31, versions) is False]
        check(over, "the search finds what should have gone")
    check(house.stop() == 0, "serve stops gracefully")
    house.settings["THRONG_TEST_SCHEDULE_SECONDS"] = "1"
    house.start()
    for day in (31, 37, 40):
        house.settle(day)
        verify(house, day, versions)
    check(not house.old_log(), "an earlier version's log segments hold what they held:", house.old_log())
    verify_backups(house, chain, 40, versions)
    over = beyond(house, house.found(chain.texts("first", keys="old keys")), promised(house, 40, versions))
    check(over, "with a copy of the keys from before it would be read")
    chain.add("second")
    house.settle(61)
    verify(house, 61, versions)
    until(lambda: f"daily-{date(0)}.csv" not in reports(house, "gone"), "copies of an app that retired go, too")
    check(f"daily-{date(1)}.csv" in reports(house, "gone"), "on their day:", reports(house, "gone"))
    check(f"daily-{date(0)}.csv" not in reports(house, SHOP), reports(house, SHOP))
    say("an app without a plan keeps nothing longer")

    for day in (91, 97, 119):
        house.settle(day)
        verify(house, day, versions)
    until(lambda: reports(house, "gone") == [], "copies are left of an app that retired")
    verify_backups(house, chain, 119, versions)
    house.at(120, 8)
    house.change(2)
    versions[2] = 121
    label(house, "900 days", "Late")
    house.plant(SHOP, "sales", 130)
    house.settle(131)
    verify(house, 131, versions)
    until(lambda: f"daily_late-{date(130)}.csv" in reports(house, "late"), "the later partner has the days since")
    check(all(name >= "daily_late-" + date(121) for name in reports(house, "late")), reports(house, "late"))
    say("a later plan keeps longer what is counted from then on, and tells nobody else what was counted before")

    chain.add("third")
    house.settle(209)
    house.plant(SHOP, "gifts", 210)
    house.settle(249)
    verify(house, 249, versions)
    house.at(250, 8)
    house.change(3)
    versions[3] = 250
    label(house, "100 days")
    # Backups go by what was promised when they were made; from now on less is.
    chain.forget()
    house.settle(251)
    chain.add("fourth")
    for day in (251, 310, 311, 371, 372, 386, 387, 400):
        house.settle(day)
        verify(house, day, versions)
    verify_backups(house, chain, 400, versions)

    def status():
        return house.clock.run("retention", "status", "--data", house.data, "--plan", house.plan)

    until(lambda: status()[0] == 0, "nothing is late")
    code, text, talk = house.clock.run("retention", "status", "--ledger", "--data", house.data, "--json")
    kinds = {(each["app"], each["kind"]) for each in json.loads(text)}
    told = {(SHOP, kind) for kind in ("numbers", "copies", "files", "backups")} | {("gone", "numbers"), ("gone", "copies")}
    check(code == 0 and told <= kinds, code, kinds, talk)
    say("four hundred days, and the ledger tells what went")


if __name__ == "__main__":
    daemon.main(test)
