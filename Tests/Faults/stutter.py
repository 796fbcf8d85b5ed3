"""Row 11: a daemon that stands still again and again, beside a PostgreSQL that takes its time, while another one on a copy of its
data directory takes its place: what it acknowledges until it ends is counted."""

import dataclasses
import os
import shutil
import signal
import threading
import time

from clients import Crowd
from house import DEVICES, House, Postgres, check, say
from oracle import judge
from rows import Control, Row
from slow_line import SlowLine
from takeover import await_place

PAUSE = 0.01
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


class FarHouse(House):
    """A house that reaches PostgreSQL by a line of its own."""

    line = None

    def arguments(self):
        words = super().arguments()
        place = words.index("--database") + 1
        if self.line:
            words[place] = f"host=127.0.0.1 port={self.line.port} user=postgres dbname={self.database}"
        return words


class Watch:
    """When the one was last acknowledged something, and the other announced itself and had the place."""

    def __init__(self, house, crowd):
        self.house, self.crowd = house, crowd
        self.fence = house.sql("select fence from throng.watermark")[0][0]
        self.announced = self.taken = None
        self.count, self.last = crowd.answers[202], time.monotonic()

    def look(self):
        now, count = time.monotonic(), self.crowd.answers[202]
        if count != self.count:
            self.count, self.last = count, now
        [[claim, fence]] = self.house.sql("select coalesce(claim, 0), fence from throng.watermark")
        if claim != "0":
            self.announced = self.announced or now
        if fence != self.fence:
            self.taken = self.taken or now

    def words(self):
        def since(instant):
            return "never" if instant is None or self.announced is None else f"{instant - self.announced:.1f} s"

        return f"the last acknowledgement came {since(self.last)} after the announcement, the place was taken {since(self.taken)}"


def trial(mix, postgres, tally, chance, old_faults=None, new_faults=None):
    line = SlowLine(postgres.folder, lambda: mix.answers(chance))
    house = FarHouse(postgres, THRONG_FLUSH_SECONDS=str(chance.choice([1, 3, 600])))
    house.line = line
    house.launch(**(old_faults or {}))
    check(house.await_ready(), "it ended with", house.process.poll(), house.log_text()[-2000:])
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
    other = FarHouse(postgres, data=copy, database=house.database, **{**house.settings, "THRONG_FLUSH_SECONDS": "1"})
    other.line = SlowLine(postgres.folder, lambda: mix.answers(chance))
    # Who comes may be nearer to PostgreSQL.
    other.line.is_slow = chance.random() < 0.5
    watch = Watch(house, crowd)
    other.launch(**(new_faults or {}))
    if mix.is_cut:
        time.sleep(chance.uniform(0, 3))
        line.cut()
    until = time.monotonic() + 150
    while house.process.poll() is None and time.monotonic() < until:
        watch.look()
        if watch.taken and time.monotonic() > watch.taken + 20:
            break
        time.sleep(0.3)
    stutter.end()
    line.is_slow = other.line.is_slow = False
    code = house.process.wait(120)
    crowd.stop()
    watch.look()
    check(code == 1, "the daemon that was replaced ended with", code, house.log_text()[-2000:])
    await_place(other)
    crowd.house = other
    crowd.devices = range(500, DEVICES)
    crowd.start(pause=PAUSE, most=10)
    crowd.join()
    other.drain()
    check(other.stop() == 0, "SIGTERM ended with", other.process.returncode, other.log_text()[-2000:])
    found = judge(crowd, tally)
    say(f"{mix.name}: {watch.words()}; lost, doubled, unexplained: {found}")
    if any(found) and not (old_faults or new_faults):
        say("the old one:\n" + house.log_text()[-3000:])
        say("the new one:\n" + other.log_text()[-3000:])
    for each in (line, other.line):
        each.close()
    other.clean()
    house.clean()
    return found


def trials(tally, count, chance):
    postgres = Postgres.shared()
    for number in range(count):
        trial(MIXES[number % len(MIXES)], postgres, tally, chance)
        tally.trials += 1


def without_lease(tally, chance):
    """It acknowledges for as long as it is not told to stop, and gives up each question after two seconds."""
    for mix in (MIXES[4], MIXES[0], MIXES[4]):
        trial(mix, Postgres.shared(), tally, chance, old_faults={"THRONG_FAULT": "outlive_lease"})
        if tally.lost:
            break


ROWS = [
    Row("11", "a daemon that stands still again and again while another takes its place", 50, 1, trials, [
        Control("a lease that never ends", without_lease, "lost"),
    ]),
]
