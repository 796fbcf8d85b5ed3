"""Identifiers are counted once by what their window came to, exactly: how often, and how far they came.

The daemon is killed with batches in an open window, and at every step on the way from a window's end to its key's; a
graceful stop closes no window early. What each identifier did is worked out beside it, event by event."""

import collections
import json
import os
import random
import subprocess
import time

import daemon
from daemon import check, say
from first_light import ALL, Layouts, same
from moving_clock import MovingClock

ROTATION = 60
HOUR = 3600
START = 1772409600 + 8 * HOUR + 300  # 2026-03-02, 8:05 UTC; PostgreSQL does not see the moved clock and refuses a far future
SEED = int(os.environ.get("THRONG_TEST_SEED", "20260302"))
PLAN = """
app: {name: tea, title: Tea, owner: Tests, contact: tests@example.com, audience: 300, threshold: 5, grace: 1 hour}
purposes:
  product: {explanation: To see what is used., consent: not_required, rotation: 1 minute, retention: 30 days}
dimensions:
  os: {title: System, field: os, list: [ios, android], partitions: devices}
  page: {title: Page, field: path, route: [/cart, "/tea/:name", /thanks]}
metrics:
  often:
    {title: How often, events: [view], question: How often?, decision: None., owner: Tests, expires: 2027-02-01,
    purpose: product, dimensions: [os], period: hour, measures: {frequency: {bands: [1, 2, 4]}}}
  way:
    {title: Way, events: [view, bought], question: How far?, decision: None., owner: Tests, expires: 2027-02-01,
    purpose: product, dimensions: [os], period: hour, margins: [[os], [step]],
    measures: {funnel: {steps: [
      {title: Tea, event: view, where: {page: "/tea/:name"}}, {title: Cart, event: view, where: {page: /cart}},
      {title: Paid, event: bought}]}}}
  sold:
    {title: Sold, events: [bought], question: How much?, decision: None., owner: Tests, expires: 2027-02-01,
    purpose: product, dimensions: [os], period: hour}
insights:
  often: {title: How often, metric: often, kind: frequency}
  way: {title: From tea to table, metric: way, kind: funnel}
  way_by_system: {title: The same by system, metric: way, kind: funnel, by: [os]}
partners:
  farm: {title: Farm, contact: p@example.com}
reports:
  hourly: {title: Hourly, partner: farm, insights: [often, way, way_by_system], period: hour}
"""
STEPS = ["Tea", "Cart", "Paid"]
POINTS = ["before_append", "after_append", "before_sync", "after_sync", "before_keep", "after_keep",
          "before_key_destroyed", "in_key_destroyed", "after_key_destroyed"]
# After every batch, so that starts go on from checkpoints.
CHECKPOINTS = {"THRONG_JOURNAL_CHECKPOINT_BYTES": "1"}


def stamp(at):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))


class World:
    def __init__(self):
        self.dice = random.Random(SEED)
        self.house = daemon.Daemon(PLAN, name="tea")
        self.clock = MovingClock(self.house.folder, START)
        self.house.settings = {**CHECKPOINTS, **self.clock.variables}
        self.house.start()
        # By window and identifier: the system, and events in the order of arrival.
        self.done = collections.defaultdict(list)
        self.sold = collections.Counter()

    def start(self, point=None):
        """With a place to die at, returns once the daemon has."""
        faults = {"THRONG_FAULT_POINT": f"{point}:1"} if point else {}
        self.house.settings = {**CHECKPOINTS, **self.clock.variables, **faults}
        if not point:
            self.house.start()
            return
        try:
            self.house.start()
        except (daemon.Failure, OSError):
            pass
        deadline = time.monotonic() + 400
        while self.house.process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        check(self.house.process.poll() == -9, "the daemon did not come to", point)

    def post(self, window, who, events):
        """A batch, sometimes twice."""
        system = "ios" if who % 3 else "android" if who % 2 else "plan9"
        now = self.clock.now()
        body = json.dumps({
            "app": "tea", "batch": os.urandom(16).hex(), "purpose": "product", "window": window,
            "id": f"{who}-{window}", "context": {"os": system}, "events": [
                {"event": name, "at": stamp(now), **({"fields": {"path": path}} if path else {})}
                for name, path in events]})
        for _ in range(2 if self.dice.random() < 0.1 else 1):
            status, _, answer = self.house.post(body)
            answer = json.loads(answer)
            check(status == 202 and answer["refused"] == [] and answer["accepted"] == len(events), status, answer)
        hour = now // HOUR * HOUR
        self.done[(window, who)] += [(name, path, system, hour) for name, path in events]
        self.sold[(hour, system)] += sum(name == "bought" for name, _ in events)

    def crowd(self, window, devices=40):
        for who in self.dice.sample(range(60), devices):
            events = [("view", self.dice.choice(["/tea/green", "/tea/black", "/cart", "/help"]))
                      for _ in range(self.dice.randint(1, 3))]
            if self.dice.random() < 0.5:
                events.append(("bought", None))
            self.post(window, who, events)

    @property
    def window(self):
        return self.clock.now() // ROTATION

    def settle(self):
        """Into a window that has just begun, so that none ends by itself while it is posted to."""
        self.clock.move((self.window + 1) * ROTATION + 1)

    def expected(self, windows):
        found = collections.Counter()
        for (window, _), events in self.done.items():
            if window not in windows:
                continue
            views = [event for event in events if event[0] == "view"]
            if views:
                band = "1" if len(views) == 1 else "2-3" if len(views) < 4 else ">=4"
                found[("often", views[0][3], label(views[0][2]), band)] += 1
            taken = []
            for event in events:
                wanted = [("view", "/tea/"), ("view", "/cart"), ("bought", "")][min(len(taken), 2)]
                if len(taken) < 3 and event[0] == wanted[0] and (event[1] or "").startswith(wanted[1]):
                    taken.append(event)
            if taken:
                found[("way", taken[0][3], label(taken[0][2]), STEPS[len(taken) - 1])] += 1
        return dict(found)

    def compare(self, windows):
        self.house.drain()
        layouts = Layouts(self.house)
        found = collections.Counter()
        for metric, start, cell, value in self.house.sql(
                "select metric_id, extract(epoch from period_start)::bigint, cell, value from throng.counter"
                " where value <> 0"):
            labels = [bucket for _, bucket in layouts.labels(metric, ALL, int(cell))[1]]
            found[(layouts.metric(metric), int(start), *labels)] += int(value)
        truth = self.expected(windows)
        for (hour, system), count in self.sold.items():
            if count:
                truth[("sold", hour, label(system))] = count
        same("counters", truth, dict(found))
        # Each identifier is in one cell, so that distinct identifiers of all windows are the counts.
        devices = collections.Counter()
        for metric, start, cell, value in self.house.sql(
                "select metric_id, extract(epoch from period_start)::bigint, cell, devices from throng.distinct_count"):
            if layouts.metric(metric) != "sold":
                labels = [bucket for _, bucket in layouts.labels(metric, ALL, int(cell))[1]]
                devices[(layouts.metric(metric), int(start), *labels)] += int(value)
        same("distinct identifiers", {key: value for key, value in truth.items() if key[0] != "sold"}, dict(devices))

    def checkpoint_written(self):
        """When the one in place was; None where there is none."""
        try:
            return os.stat(os.path.join(self.house.data, "checkpoint")).st_mtime_ns
        except FileNotFoundError:
            return None

    def wait_for_checkpoint(self, former):
        """Until there is another one."""
        deadline = time.monotonic() + 300
        while self.checkpoint_written() in (None, former):
            check(time.monotonic() < deadline, "no checkpoint is written")
            time.sleep(0.1)

    def spoil_checkpoint(self):
        """Flips a bit of it."""
        with open(os.path.join(self.house.data, "checkpoint"), "r+b") as file:
            place = self.dice.randrange(os.path.getsize(file.name))
            file.seek(place)
            byte = file.read(1)[0] ^ 1 << self.dice.randrange(8)
            file.seek(place)
            file.write(bytes([byte]))

    def wait_for_keys(self, count):
        deadline = time.monotonic() + 400
        folder = os.path.join(self.house.data, "windows")
        while len(os.listdir(folder)) != count:
            check(time.monotonic() < deadline, "windows have keys:", os.listdir(folder))
            time.sleep(0.1)


def label(system):
    return "other" if system == "plan9" else system


def survive(world):
    """A window a place to die at: half of its batches before a kill -9, half after, then its end."""
    over = set()
    for place, point in enumerate(POINTS):
        world.settle()
        window = world.window
        former = world.checkpoint_written()
        world.crowd(window)
        # Of all starts these two have to find one, which is whole or not.
        if place < 2:
            world.wait_for_checkpoint(former)
        said = len(world.house.log_text())
        world.house.kill()
        if place == 1:
            world.spoil_checkpoint()
        world.start()
        if place < 2:
            talk = ("went on from a checkpoint", "the checkpoint can't be used")[place]
            check(talk in world.house.log_text()[said:], "a start did not say:", talk)
        world.crowd(window, 20)
        world.house.drain()
        # Nothing of an open window is in PostgreSQL, also after a graceful stop.
        world.compare(over)
        check(world.house.stop() == 0, "SIGTERM")
        world.clock.move((window + 2) * ROTATION + 1)
        world.start(point)
        world.start()
        over.add(window)
        world.wait_for_keys(0)
        world.compare(over)
        say("killed at", point)
    return over


def owes(world, until):
    """PostgreSQL knows when the last window is over that is open, and when none is."""
    deadline = time.monotonic() + 400
    while (found := world.house.sql("select extract(epoch from owed_until)::bigint from throng.member")) != [[until]]:
        check(time.monotonic() < deadline, "it owes until", until, "and says", found)
        time.sleep(0.2)


def start_behind(world, over):
    """A start that finds a flush that PostgreSQL never got, while that takes no counters: it lags, and says so, until it has it."""
    world.settle()
    window = world.window
    world.crowd(window, 20)
    owes(world, str((window + 2) * ROTATION))
    world.crowd(window + 1, 20)
    over.add(window + 1)
    check(world.house.stop() == 0, "SIGTERM")
    world.clock.move((window + 3) * ROTATION + 1)
    world.start("after_keep")
    owes(world, str((window + 3) * ROTATION))
    over.add(window)
    holder = subprocess.Popen(
        ["psql", "-X", "-q", "-h", world.house.data + "/postgres", "-U", "postgres", "-d", "throng", "-c",
         "begin", "-c", "lock table throng.counter in share mode", "-c", "select pg_sleep(600)"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    held = "select pid from pg_locks where mode = 'ShareLock' and granted and relation = 'throng.counter'::regclass"
    deadline = time.monotonic() + 60
    while not world.house.sql(held):
        check(time.monotonic() < deadline, "counters are not held")
        time.sleep(0.1)
    world.start()
    lags = []
    for _ in range(30):
        lags.append(world.house.metrics()["throng_journal_lag_batches"])
        time.sleep(0.05)
    check(min(lags) > 0, "PostgreSQL lacks a flush, and the lag is", lags)
    world.house.sql(f"select pg_terminate_backend(pid) from ({held}) as held")
    holder.wait(60)
    world.wait_for_keys(0)
    world.compare(over)
    owes(world, None)
    say("a start that is behind says so")


def neighbours(world, over):
    """Windows that overlap, closed one after the other by a daemon that goes on counting."""
    world.settle()
    first = world.window
    for step in range(4):
        for window in (first + step - 1, first + step, first + step + 1):
            world.crowd(window, 15)
            over.add(window)
        world.clock.move((first + step + 1) * ROTATION + 1)
    world.clock.move((first + 8) * ROTATION)
    world.wait_for_keys(0)
    world.compare(over)
    say("overlapping windows are exact")


def segments(world):
    """Segments go once nothing in them is needed."""
    check(world.house.stop() == 0, "SIGTERM")
    world.start()
    world.settle()
    deadline = time.monotonic() + 400
    while True:
        names = [name for name in os.listdir(os.path.join(world.house.data, "journal")) if name.endswith(".journal")]
        if len(names) == 1:
            return
        check(time.monotonic() < deadline, "segments stay:", names)
        time.sleep(0.1)


def reports(world, over):
    hour = START // HOUR * HOUR
    world.clock.move(hour + 3 * HOUR)
    code, out, talk = world.clock.run("release", "--plan", world.house.plan, "--data", world.house.data)
    check(code == 0, "throng release ended with", code, out, talk)
    folder = os.path.join(world.house.folder, "given")
    name = time.strftime("%Y-%m-%dT%H:00", time.gmtime(hour))
    code, out, talk = world.clock.run(
        "report", "--plan", world.house.plan, "--data", world.house.data, "--period", name, "--partner", "farm", "--out",
        folder)
    check(code == 0, "throng report ended with", code, talk)
    file = next(each for each in os.listdir(folder) if each.endswith(".json") and each.startswith("hourly"))
    with open(os.path.join(folder, file)) as text:
        insights = {each["name"]: each for each in json.load(text)["insights"]}
    truth = world.expected(over)
    shown = 0
    for row in insights["often"]["rows"]:
        if row["status"] == "published":
            shown += 1
            count = sum(value for key, value in truth.items()
                        if key[0] == "often" and key[1] == hour and key[3] == row["buckets"][0])
            check(row["value"] == count, row, count)
    for insight in ("way", "way_by_system"):
        reached = {}
        for row in insights[insight]["rows"]:
            *systems, step = row["buckets"]
            reached[(*systems, step)] = sum(
                value for key, value in truth.items()
                if key[0] == "way" and key[1] == hour and key[2:2 + len(systems)] == tuple(systems)
                and STEPS.index(key[3]) >= STEPS.index(step))
            if row["status"] == "published":
                shown += 1
                check(row["value"] == reached[(*systems, step)], row, reached)
            for part, whole in (("of_previous", STEPS.index(step) - 1), ("of_first", 0)):
                if row[part] and row[part]["status"] == "published":
                    shown += 1
                    check((row[part]["numerator"], row[part]["denominator"])
                          == (reached[(*systems, step)], reached[(*systems, STEPS[whole])]), row, reached)
    check(shown >= 6, "only", shown, "numbers were published", json.dumps(insights)[:3000])
    check(insights["way"]["basis"]["counts"] == "identifiers", insights["way"]["basis"])
    say("reports say what identifiers did:", shown, "numbers")


def test():
    world = World()
    over = survive(world)
    start_behind(world, over)
    neighbours(world, over)
    segments(world)
    reports(world, over)
    check(world.house.stop() == 0, "serve stops gracefully")


if __name__ == "__main__":
    daemon.main(test)
