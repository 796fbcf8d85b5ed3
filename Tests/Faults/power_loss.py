"""Row 2: the power goes. The journal is on a file system of its own that is shut down under load, so that only what was synced
is there when it is mounted again."""

from house import Failure
from oracle import judge
from rows import Control, Row
from sites import Site, sites
from volume import obstacle

# Small segments: under load a new one begins several times a second.
SETTINGS = {"THRONG_TEST_JOURNAL_SEGMENT_BYTES": str(1 << 16), "THRONG_TEST_JOURNAL_CHECKPOINT_BYTES": str(1 << 12),
            "THRONG_TEST_JOURNAL_QUEUE_BYTES": str(1 << 20)}
# After these the process does nothing any more, so that the power goes exactly there.
POINTS = {
    "before_rotation": 6, "in_rotation": 6, "after_rotation": 6, "before_sync": 40, "after_sync": 40,
    "after_acknowledge": 40, "before_acknowledge": 200, "answered_transaction.commit": 2,
}


def run_until_killed(site, chance, point):
    """Load until the process is gone: at a named place, or some time."""
    house = site.house
    house.launch(**({"THRONG_FAULT_POINT": f"{point}:{chance.randint(1, POINTS[point])}"} if point else {}))
    if house.await_ready():
        site.load(10 if point else chance.uniform(0.02, 1.2))
    # Killed first: a sync that is under way while the file system is shut down may say that all went well and bring nothing to
    # disk. A loop of write and fdatasync sees that on ext4 in one of five shutdowns; no real disk's power goes like that.
    house.kill()


def trials(kind):
    def run(tally, count, chance):
        places = []
        for trial, site in sites(lambda: Site(chance, kind, **SETTINGS), count, 10):
            if not places:
                places = list(POINTS)
                chance.shuffle(places)
            point = None if trial % 2 else places.pop()
            flush = chance.random() < 0.3
            run_until_killed(site, chance, point)
            site.darken(flush)
            tally.add(site.settle(tally), point or "random", "flush" if flush else "")
    return run


def no_sync(kind):
    def run(tally, chance):
        site = Site(chance, kind, **SETTINGS)
        site.disk.lies()
        # Its database must not have the batches already when the power goes.
        site.house.settings.update(site.disk.variables, THRONG_FLUSH_SECONDS="60")
        for _ in range(3):
            run_until_killed(site, chance, None)
            site.darken()
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


ROWS = [Row(f"2.{kind}", f"power loss under load on {kind}, at rotations too", 50, 2, trials(kind),
            [Control("syncing switched off", no_sync(kind), "lost")], lambda kind=kind: obstacle(kind))
        for kind in ("ext4", "xfs")]
