"""Row 8: a batch that comes again, at once, after a restart, after its window, and while the clock jumps: counted once, with one
answer."""

import collections
import json
import os
import threading
import time

import daemon
import moving_clock
from clients import Crowd
from house import BATCH, ROTATION, House, Postgres, check
from oracle import judge
from rows import Control, Row

COPIES = 100
QUARTER = 900


def body_with_refusal(crowd, batch):
    """Its answer is one of a kind: one event more than any plan knows."""
    body = json.loads(crowd.body(batch))
    body["events"].insert(batch.place % BATCH, {"event": "unheard of", "at": crowd.at})
    return json.dumps(body).encode()


def post_at_once(house, body, answers, copies=COPIES):
    """Many connections post the same body in the same moment; what they are told, or None."""
    gate = threading.Barrier(copies)

    def work():
        connection = house.connect(seconds=60)
        try:
            connection.connect()
            gate.wait(60)
            connection.request("POST", "/v1/batches", body, {"content-type": "application/json"})
            response = connection.getresponse()
            answers.append((response.status, response.read()))
        except (OSError, daemon.http.client.HTTPException, threading.BrokenBarrierError):
            answers.append(None)
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _ in range(copies)]
    for each in threads:
        each.start()
    return threads


def at_once(tally, chance):
    """A hundred times at once, the daemon killed under some of them, and again after the restart."""
    house = House(Postgres.shared())
    crowd = Crowd(house, chance)
    house.restart()
    bodies = [(batch, body_with_refusal(crowd, batch)) for batch in (crowd.new() for _ in range(6))]
    answers = collections.defaultdict(list)
    for place, (batch, body) in enumerate(bodies):
        threads = post_at_once(house, body, answers[batch.id])
        if place == 3:
            time.sleep(chance.uniform(0, 0.1))
            house.kill()
        for each in threads:
            each.join()
        if place == 3:
            house.restart()
    house.kill()
    house.restart()
    for batch, body in bodies:
        for each in post_at_once(house, body, answers[batch.id]):
            each.join()
    for batch, _ in bodies:
        told = set(answers[batch.id]) - {None}
        check(len(told) == 1, "a repeated batch got", len(told), "answers:", list(told)[:3])
        status, text = told.pop()
        place = batch.place % BATCH
        check(status == 202 and json.loads(text) == {
            "accepted": BATCH, "refused": [
                {"index": place, "reason": "unknown_event", "detail": {"pointer": f"/events/{place}/event"}}]}, status, text)
        batch.status = 202
    house.finish()
    found = judge(crowd, tally)
    house.end()
    return found


class Quarters:
    """A house whose windows are a quarter of an hour and whose periods are hours, with a clock that can be moved."""

    def __init__(self, chance):
        self.house = House(Postgres.shared())
        self.house.change_plan(
            (f"rotation: {daemon.duration(ROTATION)}", "rotation: 15 minutes"), ("period: month", "period: hour"))
        self.clock = moving_clock.MovingClock(self.house.folder, time.time())
        self.house.settings.update(self.clock.variables, THRONG_TEST_SCHEDULE_SECONDS="86400")
        self.crowd = Crowd(self.house, chance)
        # What was acknowledged: hour and window of every batch.
        self.told = {}
        self.house.restart()

    def post(self, batch, at):
        """A client that thinks it is that time; the status."""
        self.crowd.window = at // QUARTER
        self.crowd.at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))
        return self.repeat(batch, self.crowd.body(batch), at)

    def repeat(self, batch, body, at):
        status, _, text = self.house.post(body)
        check(status in (202, 422), "status", status, text)
        if status == 202:
            check(json.loads(text)["accepted"] == BATCH, text)
            batch.status = 202
            self.told[batch.place] = (at // 3600 * 3600, at // QUARTER)
        return status

    def level(self):
        """Flushes go on: their pauses are no matter of the clock."""
        self.house.until("a flush after the clock jumped", lambda: self.house.lag() == 0)

    def judge(self, tally):
        """Beside the counts: every event in its own hour, every device once a window."""
        rows = self.house.sql(
            "select extract(epoch from period_start)::bigint, sum(value)::bigint from throng.counter where measure = 0 group by 1")
        expected = collections.Counter(hour for hour, _ in self.told.values() for _ in range(BATCH))
        found = {int(hour): int(value) for hour, value in rows}
        if found != dict(expected):
            tally.wrong("events by hour are", found, "instead of", dict(expected))
        devices = collections.defaultdict(set)
        for batch in self.crowd.batches:
            if batch.place in self.told:
                devices[self.told[batch.place]].add(batch.device)
        stored = {
            (int(hour), int(window)): int(count) for hour, window, count in self.house.sql(
                "select extract(epoch from period_start)::bigint, window_number, devices from throng.distinct_count"
                " where margin = 0")}
        expected = {key: len(each) for key, each in devices.items()}
        if stored != expected:
            tally.wrong("devices by hour and window are", stored, "instead of", expected)
        before = (tally.lost, tally.doubled, tally.unexplained)
        values = self.house.counters()
        for batch in self.crowd.batches:
            counts = [values[cell] for cell in batch.cells]
            tally.doubled += sum(count > 1 for count in counts)
            if batch.status == 202:
                tally.acknowledged += BATCH
                tally.lost += counts.count(0)
            elif any(counts):
                tally.wrong("a batch that was refused was counted")
        return tuple(now - then for now, then in zip((tally.lost, tally.doubled, tally.unexplained), before))

    def end(self, tally):
        self.house.finish()
        found = self.judge(tally)
        self.house.end()
        return found


def now():
    """Now, with some minutes left in the quarter: a trial must not see it end."""
    while time.time() % QUARTER > QUARTER - 45:
        time.sleep(1)
    return int(time.time())


def beyond_the_horizon(tally, chance):
    """A batch whose window is over is refused by its time, before and after the key is gone, and across a restart."""
    trial = Quarters(chance)
    start = now()
    batches = [trial.crowd.new() for _ in range(5)]
    for batch in batches:
        check(trial.post(batch, start) == 202, "a batch in its window was refused")
    bodies = [trial.crowd.body(batch) for batch in batches]
    for ahead, status in ((QUARTER // 2, 202), (2 * QUARTER, 422), (3 * QUARTER, 422)):
        # Its own window, or the one after it, then those after.
        trial.clock.move((start // QUARTER) * QUARTER + ahead + (QUARTER if status == 202 else 0))
        if chance.random() < 0.5:
            trial.house.kill()
            trial.house.restart()
        for batch, body in zip(batches, bodies):
            found = trial.repeat(batch, body, start)
            check(found == status, "a repeat", ahead, "seconds on got", found)
        trial.level()
    return trial.end(tally)


def jump(trial, hours, chance, crash=None):
    """The daemon's clock jumps and comes back; clients' clocks are right. Returns how many batches were refused."""
    start = now()
    batches = [trial.crowd.new() for _ in range(10)]
    for batch in batches:
        check(trial.post(batch, start) == 202, "a batch was refused before the jump")
    bodies = [trial.crowd.body(batch) for batch in batches]
    trial.level()
    trial.clock.move(time.time() + hours * 3600)
    # Clients whose clock is right are refused by their window, and nothing of them is counted.
    for batch in [trial.crowd.new() for _ in range(3)]:
        check(trial.post(batch, now()) == 422, "a batch of another hour's window was accepted")
    # And those whose clock is wrong too count where they say.
    for batch in [trial.crowd.new() for _ in range(3)]:
        check(trial.post(batch, int(trial.clock.now())) == 202, "the daemon takes no batch of its own time")
    trial.level()
    time.sleep(1.5)
    if crash:
        crash()
    trial.clock.move(time.time())
    refused = 0
    for batch, body in zip(batches, bodies):
        refused += trial.repeat(batch, body, start) == 422
    for batch in [trial.crowd.new() for _ in range(5)]:
        refused += trial.post(batch, now()) == 422
    trial.level()
    return refused


def clock(tally, chance):
    """The wall clock jumps an hour ahead or back, and returns."""
    trial = Quarters(chance)
    hours = chance.choice([1, -1])

    def crash():
        trial.house.kill()
        trial.house.restart()

    refused = jump(trial, hours, chance, crash if chance.random() < 0.5 else None)
    if hours < 0:
        check(refused == 0, refused, "batches were refused after the clock had been behind")
    return trial.end(tally)


KINDS = [at_once, clock, beyond_the_horizon]


def trials(tally, count, chance):
    for trial in range(count):
        kind = KINDS[trial % len(KINDS)]
        tally.add(kind(tally, chance), kind.__name__)


# Controls

def another_id(tally, chance):
    """The same events under another id are another batch."""
    house = House(Postgres.shared())
    crowd = Crowd(house, chance)
    house.restart()
    batch = crowd.new()
    connection = house.connect()
    crowd.send(connection, batch)
    batch.id = "%032x" % chance.getrandbits(128)
    crowd.send(connection, batch)
    connection.close()
    house.finish()
    judge(crowd, tally)
    house.end()


def reopened(tally, chance):
    """The daemon forgets which windows are over, and the clock is set back."""
    trial = Quarters(chance)

    def forget():
        trial.house.stop()
        os.unlink(os.path.join(trial.house.data, "windows.closed"))
        trial.house.restart()

    jump(trial, 1, chance, forget)
    trial.end(tally)


ROWS = [
    Row("8", "the same batch again: at once, after a restart, after its window, under a jumping clock", 60, 3, trials, [
        Control("another id", another_id, "doubled"),
        Control("windows that are over are opened again", reopened, "doubled"),
    ]),
]
