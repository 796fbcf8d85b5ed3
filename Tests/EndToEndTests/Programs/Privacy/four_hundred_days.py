"""Four hundred days of a real daemon, with restarts and backups: what was planted on a day is found nowhere once its age has come, not
at rest, on no page, and in no backup of before; and what is promised to stay is there, to the unit. What later plans promise is
KeptTests', whom they tell PromisedRecipientsTests'."""

import json
import os
import re
import shutil
import struct
import time

import daemon
import long_house
from backup_chain import Chain
from daemon import check, say, until
from visitors import Visitor
from long_house import DAY, START, date

SYSTEMS = {"ios": "mobile", "android": "mobile", "windows": "desktop", "linux": "desktop"}
DEVICES = 24
# Mornings on which pages are read, too.
SEEN = {8, 31, 37, 91, 372, 400}


OLD = "plantedlog"
PLAN = f"""
app: {{name: shop, title: Shop, owner: Tests, contact: t@example.com, audience: 100, threshold: 5, grace: 3 hours}}
purposes:
  product: {{explanation: To see., consent: not_required, rotation: 1 day, retention: 380 days}}
dimensions:
  os: {{title: System, field: os, list: [ios, android, windows, linux], partitions: devices}}
  platform: {{title: Platform, of: os, groups: {{mobile: [ios, android], desktop: [windows, linux]}}}}
metrics:
  sales:
    {{title: Sales, events: [sales], question: What is spent?, decision: None., owner: Tests, expires: {date(350)},
    purpose: product, dimensions: [os], margins: [[os], [platform]], period: day, contribution_bound: 10,
    measures: {{sums: {{amount: {{field: amount, from: 0, to: 20000000, decimals: 0, unit: EUR}}}}}},
    rollups: [week], decay: [{{after: 30 days, coarsen: os, to: platform}}, {{after: 90 days, keep: weeks}}, {{after: 365 days, keep: totals}}]}}
insights:
  sales_os: {{title: By system, metric: sales, kind: mean, sum: amount, by: [os]}}
  sales_platform: {{title: By platform, metric: sales, kind: mean, sum: amount, by: [platform]}}
  sales_total: {{title: All, metric: sales, kind: mean, sum: amount}}
partners:
  board: {{title: Board, contact: b@example.com}}
reports:
  daily:
    {{title: Daily, partner: board, insights: [sales_os, sales_total], period: day, formats: [html, csv, json],
    schedule: 0 6 * * *, deliver: [{{folder: out}}]}}
  weekly:
    {{title: Weekly, partner: board, insights: [sales_platform], period: week, formats: [csv, json], schedule: 0 6 * * *,
    deliver: [{{folder: out}}]}}
"""


class House(long_house.House):
    def __init__(self):
        super().__init__({"shop": PLAN})
        # By what it is: first day, number of days, bucket ("" for all); its value.
        self.planted = {}

    def plant(self, day):
        """Devices that spend an amount by which day and system are known; so are the sums."""
        self.at(day)
        for place, (system, platform) in enumerate(SYSTEMS.items()):
            amount = 3_000_017 + 1009 * (4 * day + place)
            for device in range(DEVICES):
                self.take({
                    "app": "shop", "batch": os.urandom(16).hex(), "purpose": "product", "window": self.clock.now() // DAY,
                    "id": f"{day} {system} {device}", "context": {"os": system},
                    "events": [{"event": "sales", "at": f"{date(day)}T12:00:00Z", "fields": {"amount": amount}}]})
            for bucket in (system, platform, ""):
                for key in ((day, 1, bucket), (day // 7 * 7, 7, bucket)):
                    self.planted[key] = self.planted.get(key, 0) + DEVICES * amount
        self.drain()

    def places(self):
        """By place, all text that is at rest there."""
        found = {"the dump": self.dump()}
        found["files of reports"] = "\n".join(row[0] or "" for row in self.sql("select encode(contents, 'escape') from throng.run_file"))
        # PostgreSQL's tables are in the dump.
        found.update(
            (os.path.relpath(path, self.data), text.decode(errors="replace")) for path, text in daemon.files(self.data, ["postgres"]))
        return found

    def in_pages(self):
        """What of the planted is in PostgreSQL's own files, deleted or not: tables, indexes and the write-ahead log."""
        found = {}
        patterns = {key: struct.pack("<q", value) for key, value in self.planted.items()}
        for path, contents in daemon.files(os.path.join(self.data, "postgres")):
            for key, pattern in patterns.items():
                if pattern in contents:
                    found.setdefault(key, []).append(os.path.relpath(path, self.data))
        return found

    def leave_old_log(self):
        """Log segments as an earlier version leaves them: ready for use again, with what they held."""
        # How many segments PostgreSQL keeps for later is up to what it has written lately, and the daemon's rounds switch that off.
        def used_again():
            for line in ("alter system set wal_recycle = on", "select pg_reload_conf()",
                         f"create table junk as select repeat('{OLD}', 20) || g as word from generate_series(1, 200000) as g",
                         *["select pg_switch_wal()", "checkpoint"] * 4, "drop table junk", "checkpoint"):
                self.sql(line)
            return self.old_log()

        until(used_again, "no log segment is used again", seconds=300)
        for line in ("alter system reset wal_recycle", "select pg_reload_conf()"):
            self.sql(line)

    def old_log(self):
        """The log segments that hold what an earlier version left there."""
        folder = os.path.join(self.data, "postgres", "data", "pg_wal")
        return [path for path, text in daemon.files(folder) if OLD.encode() in text]

    def shown(self):
        """By address, all that anybody is shown in a browser: partners, an analyst, an operator, and whoever asks."""
        found = {}
        for path in ("/", "/apps/shop", "/v1/plan/shop"):
            status, _, body = self.get(path)
            check(status == 200, path, "answers", status)
            found[f"page {path}"] = body.decode()
        days = {START + first * DAY for first, _, _ in self.planted}
        # Other periods had nobody: their reports are many, and alike.
        labels = {time.strftime(form, time.gmtime(day)) for day in days for form in ("-%Y-%m-%d.", "-%G-W%V.")}
        for first, role in ("/reports", ("--partner", "board")), ("/explore", ("--analyst",)), ("/operator", ("--operator",)):
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


def kept(key, day):
    """Whether something planted is to be there in the morning of a day; None where it may be."""
    first, days, bucket = key
    age = day - (first + days)
    if age < 0:
        return None
    if bucket in SYSTEMS and age >= 30 or days == 1 and age >= 90 or bucket and age >= 365:
        return False
    return age < 380


def promised(house, day):
    """Of the planted numbers those that are to be there in the morning of a day, and those that may be."""
    expected = {key: kept(key, day) for key in house.planted}
    # A number of one day of a week of one day is the week's, too.
    values = {house.planted[key] for key, is_kept in expected.items() if is_kept}
    return values, {house.planted[key] for key, is_kept in expected.items() if is_kept is None}


def beyond(house, found, promise):
    """What is found, and where, that should have gone."""
    return {key: places for key, places in found.items() if house.planted[key] not in promise[0] | promise[1]}


def verify(house, day, seconds=1200):
    """Everything that is to be there is, and nothing else, at rest or in a browser."""
    values, _ = promise = promised(house, day)
    over = missing = found = None

    def holds():
        nonlocal over, missing, found
        found = house.found(house.places())
        # Files are many bytes to look through.
        over = beyond(house, found, promise) or day in SEEN and beyond(house, house.in_pages(), promise)
        missing = values - {house.planted[key] for key in found}
        return not over and not missing

    until(holds, f"day {day}: is still there:", lambda: over, "is missing:", lambda: [
        key for key, value in house.planted.items() if value in missing], seconds=seconds, pause=1)
    say(f"day {day}: {len(values)} of {len(set(house.planted.values()))} planted numbers are there, as promised")
    if day not in SEEN:
        return found, None
    shown = house.found(house.shown())
    over = beyond(house, shown, promise)
    check(not over, f"day {day}: is still shown:", over)
    say(f"and on pages {len(shown)}")
    return found, shown


def verify_backups(house, chain, day):
    """What age has taken can't be read in a backup of before either, with the keys that are left."""
    chain.export()
    for name in chain.names:
        found = house.found(chain.texts(name))
        over = beyond(house, found, promised(house, day))
        check(not over, f"day {day}: can be read in a backup:", over)
        check(found or name not in chain.names[-1:], f"day {day}: nothing can be read in the last backup")
        say(f"day {day}: {len(found)} planted numbers can be read in the backup {name}, all of them promised")


def a_week(house):
    for day in range(7):
        house.plant(day)
        house.settle(day + 1)
    house.settle(8)
    found, shown = verify(house, 8)
    seen = " ".join(place for places in shown.values() for place in places)
    for word in ("/explore?", "/v1/numbers/", ".csv of board", ".json of board"):
        check(word in seen, "what was planted is not seen in a page with", word, "in its address")
    check(any("out/" in place for places in found.values() for place in places), "reports hold what was planted")
    check("380 days" in house.command("plan", "label", house.plan), "the label does not say how long numbers are kept")
    check(len(house.in_pages()) > 50, "what was planted can be seen in PostgreSQL's own files")
    say("a week is counted, released and reported")


def without_rounds(house):
    """The control: a daemon whose rounds come once a day takes nothing for a while. What should have gone is found."""
    check(house.stop() == 0, "serve stops gracefully")
    house.at(30, 8)
    house.settings["THRONG_TEST_SCHEDULE_SECONDS"] = "86400"
    house.start()
    morning = START + 30 * DAY + 8 * 3600
    until(lambda: house.sql(f"select 1 from throng.clock where believed_at >= to_timestamp({morning})"), "no round is made")
    time.sleep(3)
    house.at(31)
    for search in (house.places, house.shown):
        check([key for key in house.found(search()) if kept(key, 31) is False], "the search finds what should have gone")
    check(house.stop() == 0, "serve stops gracefully")
    house.settings["THRONG_TEST_SCHEDULE_SECONDS"] = "1"
    house.start()


def test():
    house = House()
    house.command("key", "new", "--data", house.data)
    house.start()
    a_week(house)
    chain = Chain(house)
    chain.add("first")
    shutil.copy(chain.at("keys"), chain.at("old keys"))
    check(len(house.found(chain.texts("first"))) > 50, "what was planted can be read in a backup")
    house.settle(30)
    verify(house, 30)
    house.leave_old_log()
    without_rounds(house)
    for day in (31, 37, 40):
        house.settle(day)
        verify(house, day)
    check(not house.old_log(), "an earlier version's log segments hold what they held:", house.old_log())
    verify_backups(house, chain, 40)
    over = beyond(house, house.found(chain.texts("first", keys="old keys")), promised(house, 40))
    check(over, "with a copy of the keys from before it would be read")
    chain.add("second")
    for day in (91, 97):
        house.settle(day)
        verify(house, day)
    verify_backups(house, chain, 97)
    for day in (311, 371, 372, 386, 387, 400):
        house.settle(day)
        verify(house, day)
    chain.export()
    check(not any(house.found(chain.texts(name)) for name in chain.names), "backups can be read when all has gone")
    until(lambda: house.clock.run("retention", "status", "--data", house.data, "--plan", house.plan)[0] == 0, "something is late")
    ledger = json.loads(house.clock.run("retention", "status", "--ledger", "--data", house.data, "--json")[1])
    check({"numbers", "copies", "files", "backups"} <= {each["kind"] for each in ledger}, ledger)
    say("four hundred days, and the ledger tells what went")
