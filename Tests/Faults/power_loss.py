"""Row 2: the power goes. The journal is on a file system of its own that is shut down under load, so that only what was synced
is there when it is mounted again."""

import os
import time


from clients import Crowd
from house import SIDE, Failure, House, Postgres, check, say
from oracle import judge
from rows import Control, Row
from volume import Disk, Volume, obstacle
# Small segments: under load a new one begins several times a second.
SETTINGS = {"THRONG_TEST_JOURNAL_SEGMENT_BYTES": str(1 << 16), "THRONG_TEST_JOURNAL_CHECKPOINT_BYTES": str(1 << 12),
            "THRONG_TEST_JOURNAL_QUEUE_BYTES": str(1 << 20)}
# After these the process does nothing any more, so that the power goes exactly there.
POINTS = {
    "before_rotation": 6, "in_rotation": 6, "after_rotation": 6, "before_sync": 40, "after_sync": 40,
    "after_acknowledge": 40, "before_acknowledge": 200, "answered_transaction.commit": 2,
}


class Site:
    """A house whose data directory is on a volume."""

    def __init__(self, kind, chance):
        self.volume = Volume(kind)
        self.house = House(Postgres.shared(), data=os.path.join(self.volume.path, "data"), **SETTINGS)
        self.disk = Disk(self.house.folder, self.volume.path)
        self.crowd = Crowd(self.house, chance)

    def run_until_killed(self, chance, point, **faults):
        """Load until the process is gone: at a named place, or some time."""
        house = self.house
        if point:
            faults["THRONG_FAULT_POINT"] = f"{point}:{chance.randint(1, POINTS[point])}"
        house.launch(**faults)
        if house.await_ready():
            self.crowd.start(pause=0.005)
            deadline = time.monotonic() + (10 if point else chance.uniform(0.02, 1.2))
            while house.process.poll() is None and time.monotonic() < deadline:
                time.sleep(0.002)
        # Killed first: a sync that is under way while the file system is shut down may say that all went well and bring nothing to
        # disk. A loop of write and fdatasync sees that on ext4 in one of five shutdowns; no real disk's power goes like that.
        if house.process.poll() is None:
            house.kill()
        house.process.wait()

    def run_until_dark(self, chance, point, flush, **faults):
        """Load until the power goes."""
        self.run_until_killed(chance, point, **faults)
        self.volume.lose_power(flush)
        self.crowd.stop()
        self.volume.power_up()

    def settle(self, tally):
        self.house.restart()
        self.crowd.retry()
        check(self.house.stop() == 0, "SIGTERM ended with", self.house.process.returncode, self.house.log_text()[-3000:])
        return judge(self.crowd, tally)

    def missing(self):
        """Acknowledged batches that PostgreSQL does not have, by place."""
        width = SIDE + 1
        found = {int(row[0]) for row in self.house.sql("select cell from throng.counter where measure = 0")}
        return [batch.place for batch in self.crowd.batches if batch.status == 202 and not found.issuperset(
            (cell // SIDE // SIDE * width + cell // SIDE % SIDE) * width + cell % SIDE for cell in batch.cells)]

    def end(self):
        self.house.end()
        self.volume.end()


def trials(kind):
    def run(tally, count, chance):
        site = None
        places = []
        for trial in range(count):
            if site is None or trial % 10 == 0 or not site.crowd.has_room:
                if site:
                    site.end()
                site = Site(kind, chance)
            if not places:
                places = list(POINTS)
                chance.shuffle(places)
            point = None if trial % 2 else places.pop()
            flush = chance.random() < 0.3
            site.run_until_dark(chance, point, flush)
            found = site.settle(tally)
            tally.trials += 1
            if any(found):
                say("trial", trial, point or "random", "flush" if flush else "", "lost, doubled, unexplained:", *found)
                say("missing batches:", site.missing(), "\n" + site.house.log_text()[-2500:])
                # Whether the next start finds in the journal what PostgreSQL lacks.
                site.house.restart()
                site.house.stop()
                say("missing after another start:", site.missing())
        site.end()
    return run


def after_a_restart(kind):
    """The process dies between writing and syncing, the next one answers who comes again, and then the power goes: what was
    only in memory when it was replayed must be on disk by then."""
    def run(tally, count, chance):
        site = None
        for trial in range(count):
            if site is None or trial % 10 == 0 or not site.crowd.has_room:
                if site:
                    site.end()
                site = Site(kind, chance)
            site.run_until_killed(chance, "before_sync")
            site.crowd.stop()
            site.house.restart()
            site.crowd.retry()
            site.house.kill()
            site.volume.lose_power(False)
            site.volume.power_up()
            found = site.settle(tally)
            tally.trials += 1
            if any(found):
                say("trial", trial, "lost, doubled, unexplained:", *found)
                say("missing batches:", site.missing(), "\n" + site.house.log_text()[-2500:])
        site.end()
    return run


def no_sync(kind):
    def run(tally, chance):
        site = Site(kind, chance)
        site.disk.lies()
        # Its database must not have the batches already when the power goes.
        site.house.settings.update(site.disk.variables, THRONG_FLUSH_SECONDS="60")
        for _ in range(3):
            site.run_until_dark(chance, None, False)
            # What was lost may have taken the journal's own files with it: a new daemon on what is there.
            site.disk.lies(False)
            try:
                site.settle(tally)
            except Failure as failure:
                tally.note(str(failure).splitlines()[0])
                judge(site.crowd, tally)
            if tally.lost:
                break
            site.disk.lies()
        site.end()
    return run


ROWS = [
    Row(f"2.{kind}", f"power loss under load on {kind}, at rotations too", 50, 3, trials(kind),
        [Control("syncing switched off", no_sync(kind), "lost")], lambda kind=kind: obstacle(kind))
    for kind in ("ext4", "xfs")
] + [
    Row("2.restart", "killed before a sync, answered after a restart, then the power goes", 30, 2, after_a_restart("ext4"),
        # Its control is that of 2.ext4.
        [], lambda: obstacle("ext4"))
]
