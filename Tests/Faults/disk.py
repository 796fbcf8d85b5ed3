"""Row 4: the disk fails once, is full, or is slow."""

import contextlib
import os
import time

from house import Failure, comes
from rows import Control, Row
from sites import Site, sites
from volume import obstacle

SETTINGS = {"THRONG_TEST_JOURNAL_SEGMENT_BYTES": str(1 << 16), "THRONG_TEST_JOURNAL_QUEUE_BYTES": str(1 << 16)}


def small(chance):
    """A site on a volume that is soon full, and a disk that can be broken at any moment."""
    site = Site(chance, "ext4", 24, **SETTINGS)
    site.house.settings.update(site.disk.variables)
    return site


def fail_sync(site, call, when, path=None, **faults):
    """Load until a sync fails and the daemon has ended; then the power goes too, and takes what was not synced. With a path only its
    syncs fail. The exit code."""
    house = site.house
    # -D: the daemon stays our child.
    house.prefix = ["strace", "-D", "-f", "-qq", "--seccomp-bpf", "-o", os.path.join(house.folder, "strace.log"),
                    "-e", f"trace={call}", "-e", f"inject={call}:error=EIO:when={when}", *(["-P", path] if path else [])]
    house.launch(**faults)
    house.prefix = []
    if house.await_ready():
        site.load(60, most=300 if faults else None)
    return site.darken()


def fail_next_sync(site, at):
    """The same for a sync of any file, a window's key among them, counted over all threads from the first batch on."""
    site.house.restart()
    site.disk.fails(at)
    site.load(60)
    code = site.darken()
    site.disk.fails(0)
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
    code = fail_sync(site, call, when)
    if code is None:
        tally.wrong(call, "failed and the daemon went on", when)
    elif code <= 0:
        tally.wrong(call, "failed and the daemon ended with", code)
    return site.settle(tally)


def failure_ignored(tally, chance):
    """The daemon takes a failed sync for a good one."""
    site = small(chance)
    # So that PostgreSQL does not have what the disk lacks, and that there is one segment, which begins well.
    site.house.settings.update(THRONG_FLUSH_SECONDS="60", THRONG_TEST_JOURNAL_SEGMENT_BYTES=str(1 << 24))
    # The journal's alone: without a key that is lost there is nothing to count that could be missed.
    segment = os.path.join(os.path.realpath(site.house.data), "journal", "0000000001.journal")
    fail_sync(site, "fdatasync", "8+", segment, THRONG_FAULT="ignore_failed_sync")
    site.settle(tally)
    site.end()


class RealFill:
    """The volume is filled to the last byte."""

    def __init__(self, site):
        self.path = os.path.join(site.volume.path, "ballast")

    def fill(self):
        with open(self.path, "wb", buffering=0) as file:
            for size in (1 << 20, 4096, 1):
                with contextlib.suppress(OSError):
                    while True:
                        file.write(b"x" * size)

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


def answers(site, tally, what, skips=None):
    """What a full disk does to each kind of address. A look at the disk stands for a second."""
    for path, wanted in (("/healthz", 200), ("/v1/plan/faults", 200), ("/readyz", 503)):
        if path != skips and not comes(lambda: site.house.get(path)[0] == wanted, 20, pause=0.05):
            tally.wrong(path, what, "answers", site.house.get(path)[0])


def full(fill_by):
    def run(site, tally, chance):
        house, crowd = site.house, site.crowd
        filler = fill_by(site)
        house.restart()
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
        if not comes(lambda: crowd.answers[503] - before >= 20):
            tally.wrong("a full disk turned nobody away")
        # Without a key the journal has not tried to write yet, and the system says that there is space.
        answers(site, tally, "on a full disk", "/readyz" if has_no_key and fill_by is InjectedFill else None)
        if house.has_ended:
            tally.wrong("a full disk ended the daemon with", house.process.returncode)
        dies = chance.random() < 0.3
        if dies:
            house.kill()
        crowd.stop()
        filler.free()
        # By itself, and soon.
        if not dies and not comes(lambda: crowd.post(1) == [202], pause=0.05):
            tally.wrong("there is space again, and clients are still turned away")
        return site.settle(tally)
    return run


def starts_full(site, tally, chance):
    """The daemon ends while the disk is full, or before, and starts again on the full disk; then there is space."""
    house, crowd = site.house, site.crowd
    filler = chance.choice([RealFill, InjectedFill])(site)
    if chance.random() < 0.8 or crowd.batches:
        house.restart()
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
    house.restart()
    answers(site, tally, "of a start on a full disk")
    if "retry-after" not in {name.lower() for name in house.get("/readyz")[1]}:
        tally.wrong("/readyz does not say when to come again")
    statuses = set(crowd.post(5))
    if statuses != {503}:
        tally.wrong("a start on a full disk answers batches with", statuses)
    if chance.random() < 0.3:
        # Waiting is no state that a kill could spoil.
        house.kill()
        house.restart()
    time.sleep(chance.uniform(0, 1.5))
    if house.has_ended:
        tally.wrong("a full disk ended the start with", house.process.returncode)
    filler.free()
    try:
        house.await_place(60)
    except Failure as failure:
        tally.wrong("there is space again, and the start does not go on:", failure)
    return site.settle(tally)


def full_and_acknowledged(fill_by):
    def run(tally, chance):
        """Clients are answered before their batch is written, to a full disk."""
        site = small(chance)
        filler = fill_by(site)
        site.house.restart(THRONG_FAULT="acknowledge_early")
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


def slow(site, tally, chance):
    house, crowd = site.house, site.crowd
    house.restart()
    crowd.run(clients=1, most=20)
    before, turned_away = house.resident(), crowd.answers[503]
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
    grown = house.resident() - before
    crowd.stop()
    if crowd.answers[503] == turned_away:
        tally.wrong("a slow disk turned nobody away")
    if grown > 64 << 20:
        tally.wrong("a slow disk took", grown, "bytes of memory")
    site.disk.crawls(0)
    return site.settle(tally)


def slow_and_acknowledged(tally, chance):
    """Clients are answered before their batch is written, to a slow disk."""
    site = small(chance)
    site.house.restart(THRONG_FAULT="acknowledge_early", THRONG_FAULT_POINT="before_write:4")
    site.disk.crawls(0.3)
    site.crowd.start(clients=48)
    site.house.process.wait(30)
    site.crowd.stop()
    site.disk.crawls(0)
    site.settle(tally)
    site.end()


def row(name, title, trials, quick, body, *controls):
    def run(tally, count, chance):
        for _, site in sites(lambda: small(chance), count, 4):
            tally.add(body(site, tally, chance))
    return Row(name, title, trials, quick, run, list(controls), obstacle)


ROWS = [
    row("4.sync", "a sync fails once, at any call, and the power goes", 40, 2, sync_fails,
        Control("failed syncs ignored", failure_ignored, "lost")),
    row("4.full", "a disk that is really full: 503, reads go on, recovery by itself", 30, 1, full(RealFill),
        Control("acknowledged before it is written", full_and_acknowledged(RealFill), "lost")),
    row("4.refused", "every write refused for want of space", 30, 1, full(InjectedFill),
        Control("acknowledged before it is written", full_and_acknowledged(InjectedFill), "lost")),
    row("4.start", "a start on a full disk: 503, and it goes on by itself", 30, 1, starts_full),  # Its control is that of 4.full.
    row("4.slow", "a slow disk: a bounded queue, clients turned away", 20, 1, slow,
        Control("acknowledged before it is written", slow_and_acknowledged, "lost")),
]
