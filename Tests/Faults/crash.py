"""Row 1: kill -9, at random times and at every named place of the way from a client to PostgreSQL."""

import calendar
import os
import time

from clients import Crowd
from house import ROTATION, check, comes
from moving_clock import MovingClock
from oracle import judge
from rows import Control, Row
from sites import Site, no_watermark, sites

# Where a debug build can be told to die, and the most passes before that.
POINTS = {
    "before_append": 300, "after_append": 300, "before_write": 60, "before_sync": 60, "after_sync": 60,
    "before_acknowledge": 300, "after_acknowledge": 60, "before_rotation": 2, "in_rotation": 2, "after_rotation": 2,
    "before_transaction.begin": 2, "after_transaction.begin": 2, "before_watermark.advance": 2,
    "after_watermark.advance": 2, "before_counter.upsert": 2, "after_counter.upsert": 2,
    "before_distinct_count.upsert": 2, "before_transaction.commit": 2, "after_transaction.commit": 2,
    "answered_transaction.commit": 2, "in_checkpoint": 20, "before_checkpoint": 2, "after_checkpoint": 2,
}
# Places that are passed once a window is over: its key and its segments go.
REMOVALS = {"before_removal": 1, "after_removal": 3, "before_key_destroyed": 1, "in_key_destroyed": 1, "after_key_destroyed": 1}
# A small journal, so that segments end under load, and a checkpoint after little of it.
SETTINGS = {"THRONG_TEST_JOURNAL_SEGMENT_BYTES": str(1 << 16), "THRONG_TEST_JOURNAL_CHECKPOINT_BYTES": str(1 << 12)}


def died(house):
    """Its end has to be a violent one."""
    house.process.wait()
    check(house.process.returncode == -9, "throng serve ended with", house.process.returncode, house.log_text()[-3000:])


def crash(site, chance, point, passes=None, **faults):
    """One life under load and its violent end; whether the named place was reached."""
    house = site.house
    if point:
        faults["THRONG_FAULT_POINT"] = f"{point}:{passes or chance.randint(1, POINTS[point])}"
    house.launch(**faults)
    reached = True
    if not point and chance.random() < 0.4:
        # Before it listens, or soon after: while it replays, attaches or flushes what it found.
        time.sleep(chance.uniform(0.01, 0.4))
        house.kill()
    elif house.await_ready():
        site.crowd.start(pause=0.01)
        reached = comes(lambda: house.has_ended, 120 if point else chance.uniform(0.01, 1.5), pause=0.005)
        house.kill()
        site.crowd.stop()
    died(house)
    return reached


def removal(tally, chance, point):
    """Dies at a place that is passed when a window is over, on a clock that is moved past its end."""
    # In the middle of a month, so that no period closes.
    today = time.gmtime()
    noon = calendar.timegm((today.tm_year, today.tm_mon, 10, 12, 0, 0))
    site = Site(chance, **SETTINGS)
    house = site.house
    clock = MovingClock(house.folder, noon)
    house.settings.update(clock.variables)
    crowd = site.crowd = Crowd(house, chance, noon)
    house.restart(THRONG_FAULT_POINT=f"{point}:{chance.randint(1, REMOVALS[point])}")
    crowd.run(most=60)
    clock.move((crowd.window + 2) * ROTATION + 60)
    if not comes(lambda: house.has_ended, 120):
        tally.wrong(point, "was never reached")
        house.kill()
    died(house)
    house.restart()
    house.finish()
    found = judge(crowd, tally)
    check(not os.listdir(os.path.join(house.data, "windows")), "a key of a window that is over is still there")
    site.end()
    return found


def trials(tally, count, chance):
    # Every place comes before any comes twice; every fourth trial is at a time of its own.
    places = []
    for trial, site in sites(lambda: Site(chance, **SETTINGS), count, 25):
        if not places:
            places = [*POINTS, *REMOVALS]
            chance.shuffle(places)
        point = None if trial % 4 == 3 else places.pop()
        if point in REMOVALS:
            tally.add(removal(tally, chance, point), point)
            continue
        if not crash(site, chance, point) and point:
            tally.wrong(point, "was never reached")
        tally.add(site.settle(tally), point or "random")


def acknowledged_early(tally, chance):
    """Clients are answered before their batch is written."""
    site = Site(chance, **SETTINGS)
    for _ in range(3):
        crash(site, chance, "before_write", THRONG_FAULT="acknowledge_early")
    site.settle(tally)
    site.end()


ROWS = [
    Row("1", "kill -9 under load, at random times and at every named place", 220, 8, trials, [
        Control("acknowledged before it is written", acknowledged_early, "lost"), Control("no watermark", no_watermark, "doubled"),
    ]),
]
