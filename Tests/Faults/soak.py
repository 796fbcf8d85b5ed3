"""Row 10: a long run at half load, with windows of a minute, so that keys and segments come and go all the time: memory and latency
stay flat, totals are exact."""

import collections
import concurrent.futures
import contextlib
import json
import os
import statistics
import threading
import time

from house import CELLS, ROTATION, SIDE, House, Postgres, check, daemon, say
from rows import Control, Row

CLIENTS = 4
EVENTS_A_BATCH = 100
PLACES = CELLS // EVENTS_A_BATCH
SLICE = 10.0
# Windows live three rotations: afterwards as much is forgotten as is learnt.
SETTLING = 200


class Load:
    """Clients that take turns at all cells, and know how often each has been acknowledged."""

    def __init__(self, house):
        self.house, self.events = house, []
        for place in range(PLACES):
            cells = range(place * EVENTS_A_BATCH, (place + 1) * EVENTS_A_BATCH)
            self.events.append(",".join(
                f'{{"event":"hit","at":"%(at)s","fields":{{"x":"{cell // SIDE // SIDE}","y":"{cell // SIDE % SIDE}",'
                f'"z":"{cell % SIDE}"}}}}' for cell in cells))
        self.acknowledged, self.unknown = collections.Counter(), collections.Counter()
        self.latencies, self.lock, self.next = [], threading.Lock(), 0

    def body(self, place):
        now = int(time.time())
        return (f'{{"app":"faults","purpose":"product","window":{now // 60},"batch":"{os.urandom(16).hex()}","id":"device {place}",'
                f'"context":{{}},"events":[{self.events[place].replace("%(at)s", daemon.instant(now))}]}}').encode()

    def run(self, seconds, rate=None):
        """Posts for so long, at so many batches a second or as many as go; how many were acknowledged."""
        end = time.monotonic() + seconds
        before = sum(self.acknowledged.values())
        with concurrent.futures.ThreadPoolExecutor(CLIENTS) as several:
            list(several.map(lambda place: self.work(place, end, rate), range(CLIENTS)))
        return sum(self.acknowledged.values()) - before

    def work(self, number, end, rate):
        due = time.monotonic() + (number / rate if rate else 0)
        with contextlib.closing(self.house.connect()) as connection:
            while time.monotonic() < end:
                if rate:
                    time.sleep(max(0, due - time.monotonic()))
                    due += CLIENTS / rate
                with self.lock:
                    place = self.next % PLACES
                    self.next += 1
                body = self.body(place)
                begun = time.monotonic()
                with self.lock:
                    self.unknown[place] += 1
                connection.request("POST", "/v1/batches", body, {"content-type": "application/json"})
                response = connection.getresponse()
                text = response.read()
                check(response.status == 202 and json.loads(text)["accepted"] == EVENTS_A_BATCH, response.status, text[:300])
                with self.lock:
                    self.unknown[place] -= 1
                    self.acknowledged[place] += 1
                    self.latencies.append(time.monotonic() - begun)


def judge(load, tally):
    """Every cell has exactly what was acknowledged; what has no answer may or may not be there."""
    found = load.house.counters()
    for place in range(PLACES):
        for cell in range(place * EVENTS_A_BATCH, (place + 1) * EVENTS_A_BATCH):
            value = found.pop(cell, 0)
            low = load.acknowledged[place]
            tally.lost += max(0, low - value)
            tally.doubled += max(0, value - low - load.unknown[place])
    if any(found.values()):
        tally.wrong("cells hold counts that nobody sent")
    tally.acknowledged += sum(load.acknowledged.values()) * EVENTS_A_BATCH


def house_of_minutes(**settings):
    house = House(Postgres.shared(), THRONG_TEST_JOURNAL_SEGMENT_BYTES=str(1 << 20), THRONG_TEST_FLUSH_MOST_SECONDS="60", **settings)
    house.change_plan((f"rotation: {daemon.duration(ROTATION)}", "rotation: 1 minute"))
    return house


def soak(tally, slices, chance):
    house = house_of_minutes()
    house.restart()
    load = Load(house)
    load.run(2)
    most = load.run(4) / 4
    check(most > 1, "only", most, "batches a second")
    started = time.monotonic()
    seen = []
    for place in range(slices):
        load.latencies = []
        count = load.run(SLICE, most / 2)
        ordered = sorted(load.latencies)
        late = ordered[int(len(ordered) * 0.99)]
        seen.append((time.monotonic() - started, house.resident(), statistics.median(ordered), late, count / SLICE))
        tally.trials += 1
        if place % 6 == 0:
            at, memory, median, late, rate = seen[-1]
            say(f"{at:5.0f} s: {memory >> 20} MiB, {rate:.0f} batches/s, median {median * 1000:.1f} ms, p99 {late * 1000:.1f} ms")
    house.finish()
    judge(load, tally)
    house.end()
    settled = [each for each in seen if each[0] > SETTLING]
    tally.note(f"half load: {most / 2:.0f} batches/s of {EVENTS_A_BATCH} events for {seen[-1][0] / 60:.1f} minutes; memory"
               f" {seen[0][1] >> 20} to {seen[-1][1] >> 20} MiB; median {seen[0][2] * 1000:.1f} to {seen[-1][2] * 1000:.1f} ms, p99"
               f" {max(each[3] for each in seen) * 1000:.1f} ms at most")
    if len(settled) < 4:
        tally.note("too short to say whether memory is flat: windows live three minutes")
    else:
        half = len(settled) // 2
        earlier, later = (max(each[1] for each in part) for part in (settled[:half], settled[half:]))
        if later > earlier * 1.1 + (8 << 20):
            tally.wrong("memory grew from", earlier >> 20, "to", later >> 20, "MiB")
        earlier, later = (statistics.median(each[2] for each in part) for part in (settled[:half], settled[half:]))
        if later > earlier * 2 + 0.005:
            tally.wrong("the median latency grew from", earlier * 1000, "to", later * 1000, "ms")


def no_watermark(tally, chance):
    """PostgreSQL forgets how far the journal has been counted."""
    house = house_of_minutes()
    house.forget_watermarks()
    house.restart()
    load = Load(house)
    load.run(4, 20)
    house.await_doubles()
    judge(load, tally)
    house.end()


def lossy(tally, chance):
    """A trigger drops a counter now and then."""
    house = house_of_minutes()
    house.sql("""
        create function throng.drop_some() returns trigger language plpgsql as
            $$ begin if random() < 0.001 then return null; end if; return new; end $$;
        create trigger drop_some before insert on throng.counter for each row execute function throng.drop_some()""")
    house.restart()
    load = Load(house)
    load.run(3, 40)
    house.finish()
    judge(load, tally)
    house.end()


ROWS = [
    Row("10", "soak at half load, in slices of 10 seconds: flat memory, flat latency, exact totals", 30, 1, soak, [
        Control("no watermark", no_watermark, "doubled"), Control("a counter dropped now and then", lossy, "lost"),
    ]),
]
