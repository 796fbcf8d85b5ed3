"""Row 7: two daemons where one should be. A second one on the same data directory refuses; one that was frozen while another took
its place acknowledges nothing more and ends; one that goes on before that flushes what it has acknowledged, and ends."""

import functools
import http.client
import os
import shutil
import signal
import time

from clients import Crowd, moved_in
from house import DEVICES, House, Postgres, check, comes, say
from oracle import judge
from rows import Control, Row

PAUSE = 0.01
REPLACED = "another process has taken this daemon's place"


def race(tally, chance):
    """Five starts at once on one data directory: one daemon, and four that refuse."""
    house = House(Postgres.shared())
    crowd = Crowd(house, chance)
    others = [house.beside(house.data) for _ in range(4)]
    everyone = [house, *others]
    chance.shuffle(everyone)
    for each in everyone:
        each.launch()
    comes(lambda: sum(not each.has_ended for each in everyone) < 2)
    living = [each for each in everyone if not each.has_ended]
    check(len(living) == 1, len(living), "daemons live on one data directory")
    for each in everyone:
        if each is not living[0]:
            each.is_replaced(f"{house.data} is in use")
    check(living[0].await_ready(), "the one that is left does not listen")
    crowd.house = living[0]
    crowd.run(pause=PAUSE, most=30)
    late = house.beside(house.data)
    late.launch()
    late.is_replaced()
    crowd.run(pause=PAUSE, most=10)
    living[0].finish()
    found = judge(crowd, tally)
    for each in [late, *everyone]:
        each.clean()
    return found


def freeze(house, chance):
    """SIGSTOP, outside of a transaction: one that is open keeps the daemon's row, and with it its place, for up to five minutes,
    or until it goes on where it stood in a COPY."""
    for _ in range(100):
        house.process.send_signal(signal.SIGSTOP)
        # What it sent in the moment before is done by then.
        time.sleep(0.1)
        if not house.sql("select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"
                         " and backend_type = 'client backend' and xact_start is not null"):
            return
        house.process.send_signal(signal.SIGCONT)
        time.sleep(chance.uniform(0.05, 0.3))
    check(False, "it is always in a transaction")


class Line:
    """A client of the frozen daemon: its request is on its way when the daemon stands still."""

    def __init__(self, crowd, house):
        self.crowd = crowd
        self.batch = crowd.new()
        self.connection = http.client.HTTPConnection("127.0.0.1", house.port, timeout=30)
        self.connection.request("POST", "/v1/batches", crowd.body(self.batch), {"content-type": "application/json"})

    def finish(self):
        """What became of the request: its status, or None."""
        try:
            status = self.connection.getresponse().status
        except (OSError, http.client.HTTPException):
            status = None
        if status == 202:
            self.batch.status = 202
        self.connection.close()
        return status


def copied(house, **settings):
    """A house on a copy of another one's data directory. A copy does not know whom the old one met after it was made."""
    copy = os.path.join(house.folder, "copy")
    shutil.copytree(house.data, copy)
    return house.beside(copy, **settings)


def stays_away(house):
    """An old copy must not come back."""
    house.launch()
    house.is_replaced("another copy of this data directory")


def tell(found, house, other):
    """What both said, where something went wrong."""
    if any(found):
        say("the old one:\n" + house.log_text()[-3000:])
        say("the new one:\n" + other.log_text()[-4000:])


def take_over(tally, chance, same_folder):
    """The old daemon freezes under load, the new one starts and counts, the old one goes on."""
    house, crowd = moved_in(chance, THRONG_FLUSH_SECONDS=str(chance.choice([1, 3])))
    crowd.start(pause=PAUSE)
    time.sleep(chance.uniform(0.3, 2))
    freeze(house, chance)
    crowd.is_stopping = True
    # What its clients sent in the moment before.
    lines = [Line(crowd, house) for _ in range(20)]
    if same_folder:
        # As on a file system that has lost its locks.
        os.unlink(os.path.join(house.data, "lock"))
        other = house.beside(house.data)
    else:
        other = copied(house)
    other.restart()
    # Who is frozen can't give its place back: the other one waits for as long as that may take.
    other.await_place()
    crowd.house = other
    old_threads, crowd.threads = crowd.threads, []
    # A pause that was too short for anybody to notice would be no pause.
    time.sleep(chance.uniform(3.2, 4))
    crowd.start(pause=PAUSE)
    time.sleep(chance.uniform(0, 1.5))
    house.process.send_signal(signal.SIGCONT)
    thawed = time.monotonic()
    answers = [line.finish() for line in lines]
    for thread in old_threads:
        thread.join()
    house.is_replaced(REPLACED)
    crowd.stop()
    say(f"a fenced daemon was gone after {time.monotonic() - thawed:.1f} s")
    if not same_folder:
        stays_away(house)
    crowd.retry()
    other.kill()
    other.restart()
    # A stop that PostgreSQL does not let finish leaves the rest to the next start.
    other.drain()
    other.finish()
    found = judge(crowd, tally)
    tell(found, house, other)
    if any(found):
        say(f"{answers.count(202)} of what the frozen one was sent was acknowledged")
        # Whether the next start finds in the journal what PostgreSQL lacks.
        other.restart()
        other.stop()
        say("counters after another start:", other.sql("select sum(value) from throng.counter where measure = 0"))
    other.clean()
    house.clean()
    return found


def handed_over(tally, chance, **faults):
    """The old daemon stands still for a moment that it may not even notice, while another starts on a copy: it goes on
    acknowledging, so all of that has to be flushed before its place is taken. Devices that the oracle counts meet one of the two."""
    house, crowd = moved_in(chance, THRONG_FLUSH_SECONDS=str(chance.choice([1, 3, 600])))
    crowd.devices = range(500)
    crowd.start(pause=PAUSE)
    time.sleep(chance.uniform(0.3, 2))
    house.process.send_signal(signal.SIGSTOP)
    frozen = time.monotonic()
    # What its clients sent in the moment before: it takes them as soon as it goes on.
    lines = [Line(crowd, house) for _ in range(20)]
    other = copied(house, THRONG_FLUSH_SECONDS="1")
    before = house.sql("select fence from throng.watermark")
    other.launch(**faults)
    length = chance.choice([chance.uniform(1.5, 2.7), chance.uniform(3.3, 6)])
    if faults:
        # It takes the place before the old one goes on.
        comes(lambda: house.sql("select fence from throng.watermark") != before, frozen + 2.8 - time.monotonic())
        length = min(2.8, time.monotonic() - frozen)
    time.sleep(max(0, frozen + length - time.monotonic()))
    acknowledged = crowd.answers[202]
    house.process.send_signal(signal.SIGCONT)
    answers = [line.finish() for line in lines]
    house.is_replaced(REPLACED)
    crowd.stop()
    say(f"frozen for {length:.1f} s, it acknowledged {crowd.answers[202] - acknowledged + answers.count(202)} batches more, then ended")
    stays_away(house)
    return conclude(tally, crowd, house, other, faults)


def conclude(tally, crowd, house, other, faults):
    """The new one gets its place, and counts others than the old one did."""
    other.await_place()
    crowd.house = other
    crowd.devices = range(500, DEVICES)
    crowd.run(pause=PAUSE, most=20)
    other.drain()
    other.finish()
    found = judge(crowd, tally)
    if not faults:
        tell(found, house, other)
    other.clean()
    house.clean()
    return found


def without_lease(tally, chance):
    """The copy takes the place at once: what the old one acknowledges until it notices is in its own journal only."""
    # On a busy machine the old one may have nothing to acknowledge in the moment that counts.
    for _ in range(10):
        handed_over(tally, chance, THRONG_FAULT="take_without_lease")
        if tally.lost:
            break


def frozen_alone(tally, chance):
    """Nobody took its place: a daemon that stood still goes on, with or without PostgreSQL."""
    house, crowd = moved_in(chance)
    crowd.start(pause=PAUSE)
    time.sleep(chance.uniform(0.3, 1.5))
    house.process.send_signal(signal.SIGSTOP)
    time.sleep(chance.uniform(9, 10))
    house.process.send_signal(signal.SIGCONT)
    before = crowd.answers[202]
    house.until("it acknowledges again", lambda: crowd.answers[202] >= before + 20)
    crowd.stop()
    # A PostgreSQL that is too slow for the question is as one that is away.
    check("PostgreSQL says that it was not" in house.log_text() or "PostgreSQL can't be asked" in house.log_text(), "it did not ask")
    house.finish()
    found = judge(crowd, tally)
    house.clean()
    return found


KINDS = [handed_over, functools.partial(take_over, same_folder=False), functools.partial(take_over, same_folder=True), race, frozen_alone]


def trials(tally, count, chance):
    for trial in range(count):
        kind = trial % len(KINDS)
        tally.add(KINDS[kind](tally, chance), "kind", kind)


def no_fence(tally, chance):
    """The fence and the watermark of the old daemon are put back: what both had is counted twice."""
    house, crowd = moved_in(chance, THRONG_FLUSH_SECONDS="600")
    house.drain()
    crowd.run(pause=PAUSE, most=20)
    row = house.sql("select position, fence from throng.watermark")[0]
    freeze(house, chance)
    other = copied(house)
    other.restart()
    other.await_place()
    other.finish()
    house.sql(f"update throng.watermark set position = {row[0]}, fence = {row[1]}")
    house.process.send_signal(signal.SIGCONT)
    house.finish()
    judge(crowd, tally)
    other.clean()
    house.clean()


ROWS = [
    Row("7", "a second daemon, and one that was frozen while another took its place", 40, 5, trials, [
        Control("fence and watermark put back", no_fence, "doubled"), Control("the place is taken without waiting", without_lease, "lost"),
    ]),
]
