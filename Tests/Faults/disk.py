"""Row 4: the disk fails once, is full, or is slow."""

import os
import time

from clients import Crowd
from house import House, Postgres, check, say
from moving_clock import MovingClock
from oracle import judge
from rows import Control, Row
from volume import Disk, Volume, obstacle
SETTINGS = {"THRONG_TEST_JOURNAL_SEGMENT_BYTES": str(1 << 16), "THRONG_TEST_JOURNAL_QUEUE_BYTES": str(1 << 16)}


class Site:
    """A house on a small volume, and its clients."""

    def __init__(self, chance, mebibytes=24):
        self.volume = Volume("ext4", mebibytes)
        self.house = House(Postgres.shared(), data=os.path.join(self.volume.path, "data"), **SETTINGS)
        self.disk = Disk(self.house.folder, self.volume.path)
        self.house.settings.update(self.disk.variables)
        self.crowd = Crowd(self.house, chance)

    def start(self, **faults):
        self.house.launch(**faults)
        check(self.house.await_ready(), "throng serve did not start\n" + self.house.log_text()[-3000:])

    def settle(self, tally):
        """Everything that is still unsaid is said, then the oracle looks."""
        if self.house.process.poll() is not None:
            self.house.restart()
        self.crowd.retry()
        check(self.house.stop() == 0, "SIGTERM ended with", self.house.process.returncode, self.house.log_text()[-3000:])
        return judge(self.crowd, tally)

    def end(self):
        self.house.end()
        self.volume.end()


def each(count, chance, body, tally, trials_a_site=4):
    site = None
    for trial in range(count):
        if site is None or trial % trials_a_site == 0 or not site.crowd.has_room:
            if site:
                site.end()
            site = Site(chance)
        found = body(site, tally, chance)
        tally.trials += 1
        if any(found):
            say("trial", trial, "lost, doubled, unexplained:", *found)
    site.end()


# A sync that fails

def fail_sync(site, chance, call, when, path=None, **faults):
    """Load until a sync fails and the daemon has ended; then the power goes too, and takes what was not synced. With a path only its
    syncs fail."""
    house = site.house
    # -D: the daemon stays our child.
    house.prefix = ["strace", "-D", "-f", "-qq", "--seccomp-bpf", "-o", os.path.join(house.folder, "strace.log"),
                    "-e", f"trace={call}", "-e", f"inject={call}:error=EIO:when={when}", *(["-P", path] if path else [])]
    house.launch(**faults)
    house.prefix = []
    if house.await_ready():
        site.crowd.start(pause=0.005)
        deadline = time.monotonic() + 60
        while house.process.poll() is None and time.monotonic() < deadline and site.crowd.has_room:
            time.sleep(0.01)
            if faults and len(site.crowd.batches) > 300:
                break
    code = house.process.poll()
    site.volume.lose_power()
    if code is None:
        house.kill()
    site.crowd.stop()
    site.volume.power_up()
    return code


def fail_next_sync(site, at):
    """The same for a sync of any file, a window's key among them, counted over all threads from the first batch on."""
    house = site.house
    site.start()
    site.disk.fails(at)
    site.crowd.start(pause=0.005)
    deadline = time.monotonic() + 60
    while house.process.poll() is None and time.monotonic() < deadline and site.crowd.has_room:
        time.sleep(0.01)
    code = house.process.poll()
    site.volume.lose_power()
    if code is None:
        house.kill()
    site.crowd.stop()
    site.disk.fails(0)
    site.volume.power_up()
    return code


def sync_fails(site, tally, chance):
    if chance.random() < 0.5 or not site.crowd.batches:
        at = chance.randint(1, 4 if not site.crowd.batches else 60)
        code = fail_next_sync(site, at)
        if code is None or code <= 0:
            tally.wrong("sync", at, "failed and the daemon ended with", code)
        return site.settle(tally)
    # Counted by thread. The journal's own syncs with every group, and directories with every segment.
    call, most = chance.choice([("fdatasync", 80), ("fdatasync", 8), ("fsync", 6)])
    when = chance.randint(1, most)
    code = fail_sync(site, chance, call, when)
    if code is None:
        tally.wrong(call, "failed and the daemon went on", when)
    elif code <= 0:
        tally.wrong(call, "failed and the daemon ended with", code)
    return site.settle(tally)


def failure_ignored(tally, chance):
    """The daemon takes a failed sync for a good one."""
    site = Site(chance)
    # So that PostgreSQL does not have what the disk lacks, and that there is one segment, which begins well.
    site.house.settings.update(THRONG_FLUSH_SECONDS="60", THRONG_TEST_JOURNAL_SEGMENT_BYTES=str(1 << 24))
    # The journal's alone: without a key that is lost there is nothing to count that could be missed.
    segment = os.path.join(os.path.realpath(site.house.data), "journal", "0000000001.journal")
    fail_sync(site, chance, "fdatasync", "8+", segment, THRONG_FAULT="ignore_failed_sync")
    site.settle(tally)
    site.end()


# A disk that is full

class RealFill:
    """The volume is filled to the last byte."""

    def __init__(self, site):
        self.path = os.path.join(site.volume.path, "ballast")

    def fill(self):
        with open(self.path, "wb", buffering=0) as file:
            for size in (1 << 20, 4096, 1):
                try:
                    while True:
                        file.write(b"x" * size)
                except OSError:
                    pass

    def free(self):
        os.unlink(self.path)


class InjectedFill:
    """Every write is refused."""

    def __init__(self, site):
        self.disk = site.disk

    def fill(self):
        self.disk.is_full(True)

    def free(self):
        self.disk.is_full(False)


def full(fill_by):
    def run(site, tally, chance):
        house, crowd = site.house, site.crowd
        filler = fill_by(site)
        site.start()
        before = crowd.answers[503]
        has_no_key = not crowd.batches and chance.random() < 0.5
        if has_no_key:
            # Not even the window's key can be written.
            filler.fill()
            crowd.start(pause=0.005)
        else:
            crowd.start(pause=0.005)
            time.sleep(chance.uniform(0.05, 0.6))
            filler.fill()
        deadline = time.monotonic() + 60
        while crowd.answers[503] - before < 20 and time.monotonic() < deadline:
            time.sleep(0.01)
        if crowd.answers[503] - before < 20:
            tally.wrong("a full disk turned nobody away")
        for path, wanted in (("/healthz", 200), ("/v1/plan/faults", 200), ("/readyz", 503)):
            # The journal has not tried to write yet, and the system says that there is space.
            if path == "/readyz" and has_no_key and fill_by is InjectedFill:
                continue
            # A look at the disk stands for a second.
            deadline = time.monotonic() + 20
            while (status := house.get(path)[0]) != wanted and time.monotonic() < deadline:
                time.sleep(0.05)
            if status != wanted:
                tally.wrong(path, "on a full disk answers", status)
        if house.process.poll() is not None:
            tally.wrong("a full disk ended the daemon with", house.process.returncode)
        dies = chance.random() < 0.3
        if dies:
            house.kill()
        crowd.stop()
        filler.free()
        if dies:
            return site.settle(tally)
        # By itself, and soon.
        deadline = time.monotonic() + 60
        connection = crowd.connect()
        while crowd.send(connection, crowd.new()) != 202:
            if time.monotonic() > deadline:
                tally.wrong("there is space again, and clients are still turned away")
                break
            time.sleep(0.05)
        connection.close()
        return site.settle(tally)
    return run



def full_beside_clock(site, tally, chance, **faults):
    """A write waits for space while the system's clock is behind what the daemon read of it, as after it was set back: a deadline
    by the time of day lies so much later."""
    house = site.house
    clock = MovingClock(house.folder, time.time() + 1800)
    variables = {**site.disk.variables, **clock.variables}
    variables["LD_PRELOAD"] = ":".join([site.disk.variables["LD_PRELOAD"], clock.variables["LD_PRELOAD"]])
    house.settings.update(variables)
    # A house of its own each time: its clients live half an hour ahead.
    crowd = site.crowd = Crowd(house, chance, now=clock.now())
    filler = InjectedFill(site)
    site.start(**faults)
    crowd.start(pause=0.005)
    time.sleep(chance.uniform(0.1, 0.6))
    filler.fill()
    deadline = time.monotonic() + 60
    while crowd.answers[503] < 20 and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(chance.uniform(0.5, 2))
    filler.free()
    before, deadline = crowd.answers[202], time.monotonic() + (10 if faults else 60)
    while crowd.answers[202] < before + 20 and time.monotonic() < deadline:
        time.sleep(0.05)
    if crowd.answers[202] < before + 20:
        tally.wrong("there is space again, and nobody is acknowledged")
    if faults:
        house.kill()
        return crowd.stop()
    crowd.stop()
    return site.settle(tally)


def waits_by_time_of_day(tally, chance):
    """Deadlines are times of day."""
    site = Site(chance)
    full_beside_clock(site, tally, chance, THRONG_FAULT="wait_by_time_of_day")
    site.end()


def starts_full(site, tally, chance):
    """The daemon ends while the disk is full, or before, and starts again on the full disk; then there is space."""
    house, crowd = site.house, site.crowd
    filler = chance.choice([RealFill, InjectedFill])(site)
    if chance.random() < 0.8 or crowd.batches:
        site.start()
        crowd.start(pause=0.005)
        time.sleep(chance.uniform(0.05, 0.6))
        fills_first = chance.random() < 0.5
        if fills_first:
            filler.fill()
            time.sleep(0.2)
        house.kill()
        crowd.stop()
        if not fills_first:
            filler.fill()
    else:
        # Not even the data directory is there.
        filler.fill()
    site.start()
    for path, wanted in (("/healthz", 200), ("/v1/plan/faults", 200), ("/readyz", 503)):
        status, headers, _ = house.get(path)
        if status != wanted:
            tally.wrong(path, "of a start on a full disk answers", status)
        if status == 503 and "retry-after" not in {name.lower() for name in headers}:
            tally.wrong(path, "does not say when to come again")
    connection = crowd.connect()
    statuses = {crowd.send(connection, crowd.new()) for _ in range(5)}
    connection.close()
    if statuses != {503}:
        tally.wrong("a start on a full disk answers batches with", statuses)
    if chance.random() < 0.3:
        # Waiting is no state that a kill could spoil.
        house.kill()
        site.start()
    time.sleep(chance.uniform(0, 1.5))
    if house.process.poll() is not None:
        tally.wrong("a full disk ended the start with", house.process.returncode)
    filler.free()
    deadline = time.monotonic() + 60
    while True:
        try:
            if house.get("/readyz")[0] == 200:
                break
        except OSError:
            # Between waiting and being there.
            pass
        if house.process.poll() is not None or time.monotonic() > deadline:
            tally.wrong("there is space again, and the start does not go on")
            break
        time.sleep(0.05)
    return site.settle(tally)


def full_and_acknowledged(fill_by):
    def run(tally, chance):
        """Clients are answered before their batch is written, to a full disk."""
        site = Site(chance)
        filler = fill_by(site)
        site.start(THRONG_FAULT="acknowledge_early")
        site.crowd.start(pause=0.005)
        time.sleep(0.3)
        filler.fill()
        time.sleep(0.5)
        site.house.kill()
        site.crowd.stop()
        filler.free()
        site.settle(tally)
        site.end()
    return run


# A disk that is slow

def memory(house):
    """Unit: bytes."""
    with open(f"/proc/{house.process.pid}/status") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith("VmRSS:"))


def slow(site, tally, chance):
    house, crowd = site.house, site.crowd
    site.start()
    crowd.start(clients=1, most=20)
    crowd.join()
    before, turned_away = memory(house), crowd.answers[503]
    pause = chance.uniform(0.3, 1.0)
    site.disk.crawls(pause)
    crowd.start(clients=96)
    time.sleep(2)
    if chance.random() < 0.3:
        house.kill()
        crowd.stop()
        site.disk.crawls(0)
        return site.settle(tally)
    # Where clients are slow too, a queue is full only before a slower disk.
    while crowd.answers[503] == turned_away and pause < 10:
        pause *= 2
        site.disk.crawls(pause)
        time.sleep(2 * pause)
    grown = memory(house) - before
    crowd.stop()
    if crowd.answers[503] == turned_away:
        tally.wrong("a slow disk turned nobody away")
    if grown > 64 << 20:
        tally.wrong("a slow disk took", grown, "bytes of memory")
    site.disk.crawls(0)
    return site.settle(tally)


def slow_and_acknowledged(tally, chance):
    """Clients are answered before their batch is written, to a slow disk."""
    site = Site(chance)
    site.start(THRONG_FAULT="acknowledge_early", THRONG_FAULT_POINT="before_write:4")
    site.disk.crawls(0.3)
    site.crowd.start(clients=48)
    site.house.process.wait(30)
    site.crowd.stop()
    site.disk.crawls(0)
    site.settle(tally)
    site.end()


def row(name, title, trials, quick, body, *controls):
    return Row(name, title, trials, quick,
               lambda tally, count, chance: each(count, chance, body, tally), list(controls), obstacle)


ROWS = [
    row("4.sync", "a sync fails once, at any call, and the power goes", 40, 4, sync_fails,
        Control("failed syncs ignored", failure_ignored, "lost")),
    row("4.full", "a disk that is really full: 503, reads go on, recovery by itself", 30, 2, full(RealFill),
        Control("acknowledged before it is written", full_and_acknowledged(RealFill), "lost")),
    row("4.refused", "every write refused for want of space", 30, 2, full(InjectedFill),
        Control("acknowledged before it is written", full_and_acknowledged(InjectedFill), "lost")),
    Row("4.clock", "a full disk while the clock is set back: recovery as soon as there is space", 10, 1,
        lambda tally, count, chance: each(count, chance, full_beside_clock, tally, trials_a_site=1),
        [Control("deadlines by the time of day", waits_by_time_of_day, "unexplained")], obstacle),
    row("4.start", "a start on a full disk: 503, and it goes on by itself", 30, 2, starts_full),  # Its control is that of 4.full.
    row("4.slow", "a slow disk: a bounded queue, clients turned away", 20, 2, slow,
        Control("acknowledged before it is written", slow_and_acknowledged, "lost")),
]
