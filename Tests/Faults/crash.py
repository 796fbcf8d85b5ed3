"""Row 1: kill -9, at random times and at every named place of the way from a client to PostgreSQL."""

import calendar
import os
import subprocess
import time


from clients import Crowd
from house import ROTATION, House, Postgres, check, say
from moving_clock import MovingClock
from oracle import judge
from rows import Control, Row
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
REMOVALS = {
    "before_removal": 1, "after_removal": 3, "before_key_destroyed": 1, "in_key_destroyed": 1, "after_key_destroyed": 1,
}
# A small journal, so that segments end under load, and a checkpoint after little of it.
SETTINGS = {"THRONG_TEST_JOURNAL_SEGMENT_BYTES": str(1 << 16), "THRONG_TEST_JOURNAL_CHECKPOINT_BYTES": str(1 << 12)}


def crash(house, crowd, chance, point, passes=None, **faults):
    """One life under load and its violent end; whether the named place was reached."""
    if point:
        faults["THRONG_FAULT_POINT"] = f"{point}:{passes or chance.randint(1, POINTS[point])}"
    house.launch(**faults)
    reached = True
    if not point and chance.random() < 0.4:
        # Before it listens, or soon after: while it replays, attaches or flushes what it found.
        time.sleep(chance.uniform(0.01, 0.4))
        house.kill()
    elif house.await_ready():
        crowd.start(pause=0.01)
        deadline = time.monotonic() + (120 if point else chance.uniform(0.01, 1.5))
        while house.process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.005)
        reached = house.process.poll() is not None
        house.kill()
        crowd.stop()
    house.process.wait()
    check(house.process.returncode == -9, "throng serve ended with", house.process.returncode, house.log_text()[-3000:])
    return reached


def settle(house, crowd, tally):
    """The next start: clients try again, PostgreSQL gets everything, the oracle looks."""
    house.restart()
    crowd.retry()
    # An orderly stop flushes, which is quicker than to wait for the next flush.
    check(house.stop() == 0, "SIGTERM ended with", house.process.returncode, house.log_text()[-3000:])
    return judge(crowd, tally)


def removal(tally, chance, point):
    """Dies at a place that is passed when a window is over, on a clock that is moved past its end."""
    # In the middle of a month, so that no period closes.
    today = time.gmtime()
    noon = calendar.timegm((today.tm_year, today.tm_mon, 10, 12, 0, 0))
    house = House(Postgres.shared(), **SETTINGS)
    clock = MovingClock(house.folder, noon)
    house.settings.update(clock.variables)
    crowd = Crowd(house, chance, noon)
    house.launch(THRONG_FAULT_POINT=f"{point}:{chance.randint(1, REMOVALS[point])}")
    check(house.await_ready(), "throng serve did not start\n" + house.log_text()[-3000:])
    crowd.start(most=60)
    crowd.join()
    clock.move((crowd.window + 2) * ROTATION + 60)
    try:
        house.process.wait(120)
    except subprocess.TimeoutExpired:
        tally.wrong(point, "was never reached")
        house.kill()
    check(house.process.returncode == -9, "throng serve ended with", house.process.returncode, house.log_text()[-3000:])
    house.restart()
    check(house.stop() == 0, "SIGTERM ended with", house.process.returncode, house.log_text()[-3000:])
    found = judge(crowd, tally)
    check(not os.listdir(os.path.join(house.data, "windows")), "a key of a window that is over is still there")
    house.end()
    return found


def trials(tally, count, chance):
    postgres = Postgres.shared()
    house = crowd = None
    # Every place comes before any comes twice; every fourth trial is at a time of its own.
    places = []
    for trial in range(count):
        if house is None or trial % 25 == 0 or not crowd.has_room:
            if house:
                house.end()
            house = House(postgres, **SETTINGS)
            crowd = Crowd(house, chance)
        if not places:
            places = [*POINTS, *REMOVALS]
            chance.shuffle(places)
        point = None if trial % 4 == 3 else places.pop()
        if point in REMOVALS:
            found = removal(tally, chance, point)
            tally.trials += 1
            if any(found):
                say("trial", trial, point, "lost, doubled, unexplained:", *found)
            continue
        reached = crash(house, crowd, chance, point)
        if point and not reached:
            tally.wrong(point, "was never reached")
        found = settle(house, crowd, tally)
        tally.trials += 1
        if any(found):
            say("trial", trial, point or "random", "lost, doubled, unexplained:", *found)
    house.end()


def acknowledged_early(tally, chance):
    """Clients are answered before their batch is written."""
    house = House(Postgres.shared(), **SETTINGS)
    crowd = Crowd(house, chance)
    for _ in range(3):
        crash(house, crowd, chance, "before_write", THRONG_FAULT="acknowledge_early")
    settle(house, crowd, tally)
    house.end()


def no_watermark(tally, chance):
    """PostgreSQL forgets how far the journal has been counted."""
    house = House(Postgres.shared(), **SETTINGS)
    house.sql("""
        create function throng.forget() returns trigger language plpgsql as
            $$ begin new.position := old.position; return new; end $$;
        create trigger forget before update on throng.watermark for each row execute function throng.forget()""")
    crowd = Crowd(house, chance)
    crash(house, crowd, chance, "answered_transaction.commit", passes=1)
    house.restart()
    house.await_doubles()
    judge(crowd, tally)
    house.end()


ROWS = [
    Row("1", "kill -9 under load, at random times and at every named place", 220, 12, trials, [
        Control("acknowledged before it is written", acknowledged_early, "lost"),
        Control("no watermark", no_watermark, "doubled"),
    ]),
]
