"""Row 11: a daemon that stands still again and again, beside a PostgreSQL that takes its time, while another one on a copy of its
data directory takes its place: what it acknowledges until it ends is counted."""

import dataclasses
import os
import shutil
import signal
import threading
import time

from clients import Crowd
from house import House, Postgres, comes
from proxy import SlowLine
from rows import Control, Row
from takeover import PAUSE, conclude

# fdatasync(2) on x86-64 and on 64-bit ARM.
SYNCS = {"75", "83"}


@dataclasses.dataclass
class Mix:
    """How it stands still, and how late PostgreSQL answers. Each draws from a random.Random. Unit: seconds."""
    name: str
    stands: callable
    runs: callable
    answers: callable
    # Whether it is stopped in the middle of a sync, if there is one.
    in_sync: bool = False
    # Whether its connections to PostgreSQL break once the other one has started.
    is_cut: bool = False


def usual(chance):
    return chance.uniform(0.4, 1)


def heavy(chance):
    """Mostly a few tenths; one in thirty takes more than two seconds."""
    return min(chance.lognormvariate(-1.1, 1), 6)


MIXES = [
    Mix("just below three seconds", lambda c: c.uniform(2, 2.85), lambda c: c.uniform(0.1, 0.3), usual),
    Mix("any length", lambda c: c.uniform(0.5, 5), lambda c: c.uniform(0.1, 0.5), usual),
    Mix("any length, answers with a long tail", lambda c: c.uniform(0.5, 5), lambda c: c.uniform(0.2, 0.6), heavy),
    Mix("in the middle of a sync", lambda c: c.uniform(2, 2.85), lambda c: c.uniform(0.1, 0.3), usual, in_sync=True),
    Mix("connections break", lambda c: c.uniform(2, 2.85), lambda c: c.uniform(0.1, 0.3), usual, is_cut=True),
    Mix("a few of a hundred milliseconds", lambda c: c.uniform(0.08, 0.1), lambda c: c.uniform(0.004, 0.02), usual),
    Mix("one long one now and then", lambda c: c.choice([0.1, 0.1, 8]), lambda c: c.uniform(0.2, 1), usual),
]


class Stutter(threading.Thread):
    """Stops a process and lets it go on, until `end()`."""

    def __init__(self, process, mix, chance):
        super().__init__(daemon=True)
        self.process, self.mix, self.chance = process, mix, chance
        self.lock = threading.Lock()
        self.is_over = False
        self.start()

    def run(self):
        while not self.is_over and self.process.poll() is None:
            with self.lock:
                if self.mix.in_sync:
                    self.await_sync(0.3)
                self.process.send_signal(signal.SIGSTOP)
                time.sleep(self.mix.stands(self.chance))
                self.process.send_signal(signal.SIGCONT)
            time.sleep(self.mix.runs(self.chance))

    def await_sync(self, seconds):
        deadline = time.monotonic() + seconds
        folder = f"/proc/{self.process.pid}/task"
        while time.monotonic() < deadline:
            try:
                for thread in os.listdir(folder):
                    with open(f"{folder}/{thread}/syscall") as file:
                        if file.read().split(" ")[0] in SYNCS:
                            return
            except OSError:
                # A thread that ended meanwhile.
                continue

    def copy(self, source, target):
        """Copies a folder while nothing in it changes."""
        with self.lock:
            self.process.send_signal(signal.SIGSTOP)
            shutil.copytree(source, target)
            self.process.send_signal(signal.SIGCONT)

    def end(self):
        self.is_over = True
        self.join()


def far(house, mix, chance):
    """A house that reaches PostgreSQL by a line of its own."""
    line = SlowLine(house.postgres.folder, lambda: mix.answers(chance))
    house.address = line.address(house.database)
    return line


def trial(mix, tally, chance, **faults):
    house = House(Postgres.shared(), THRONG_FLUSH_SECONDS=str(chance.choice([1, 3, 600])))
    line = far(house, mix, chance)
    house.restart(**faults)
    crowd = Crowd(house, chance)
    # A copy does not know whom the old one met after it was made: devices that the oracle counts meet one of the two.
    crowd.devices = range(500)
    crowd.start(pause=PAUSE)
    time.sleep(chance.uniform(0.3, 1.5))
    line.is_slow = True
    stutter = Stutter(house.process, mix, chance)
    time.sleep(chance.uniform(1, 4))
    copy = os.path.join(house.folder, "copy")
    stutter.copy(house.data, copy)
    other = house.beside(copy, THRONG_FLUSH_SECONDS="1")
    its_line = far(other, mix, chance)
    # Who comes may be nearer to PostgreSQL.
    its_line.is_slow = chance.random() < 0.5
    fence = house.sql("select fence from throng.watermark")
    other.launch()
    if mix.is_cut:
        time.sleep(chance.uniform(0, 3))
        line.cut()
    # Until it has ended, or for as long as it may take once its place was taken.
    comes(lambda: house.has_ended or house.sql("select fence from throng.watermark") != fence, 150, pause=0.3)
    comes(lambda: house.has_ended, 20, pause=0.3)
    stutter.end()
    line.is_slow = its_line.is_slow = False
    house.is_replaced()
    crowd.stop()
    found = conclude(tally, crowd, house, other, faults)
    for each in (line, its_line):
        each.close()
    return found


def trials(tally, count, chance):
    for number in range(count):
        mix = MIXES[number % len(MIXES)]
        tally.add(trial(mix, tally, chance), mix.name)


def without_lease(tally, chance):
    """It acknowledges for as long as it is not told to stop, and gives up each question after two seconds."""
    for mix in (MIXES[4], MIXES[0], MIXES[4]):
        trial(mix, tally, chance, THRONG_FAULT="outlive_lease")
        if tally.lost:
            break


ROWS = [
    Row("11", "a daemon that stands still again and again while another takes its place", 50, 1, trials, [
        Control("a lease that never ends", without_lease, "lost"),
    ]),
]
