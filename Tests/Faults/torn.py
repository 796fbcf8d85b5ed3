"""Row 3: bytes of a journal that was written under load are flipped, or its end is cut off. ThrongJournalTests do that to every
bit and at every length of a small one; this asks what a whole daemon makes of it."""

import os
import shutil
import time

from clients import moved_in
from house import check, comes, daemon, say
from oracle import Tally, judge
from rows import Control, Row

SETTINGS = {"THRONG_TEST_JOURNAL_SEGMENT_BYTES": str(1 << 16), "THRONG_FLUSH_SECONDS": "3600"}


def written(chance, seconds):
    """A house that was killed under load, with a journal of which PostgreSQL has nothing."""
    house, crowd = moved_in(chance, **SETTINGS)
    # The first flush is over before the first batch.
    house.drain()
    crowd.start(clients=2, pause=0.005)
    comes(lambda: crowd.answers[202] >= 20)
    time.sleep(seconds)
    house.kill()
    crowd.stop()
    return house, crowd


def segments(house):
    folder = os.path.join(house.data, "journal")
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".journal")]


def records(path):
    """Where the records of a segment begin, and where the last one ends; marks are none."""
    content = daemon.read_bytes(path)
    place = 40 + 32 * int.from_bytes(content[24:28], "little")
    starts, end = [], place
    while place < len(content):
        following = place + 8 + int.from_bytes(content[place:place + 4], "little")
        if int.from_bytes(content[place + 24:place + 28], "little") > 0:
            starts.append(place)
            end = following
        place = following
    return starts + [end]


def flip(path, place, chance):
    """One bit of a byte."""
    data = bytearray(daemon.read_bytes(path))
    data[place] ^= 1 << chance.randrange(8)
    daemon.write(path, bytes(data))


def damage(house, chance):
    """Changes the journal; which segment, and how."""
    paths = segments(house)
    # Half of the time the end of it, where a torn write may be.
    path = paths[-1] if chance.random() < 0.5 else chance.choice(paths)
    size = os.path.getsize(path)
    if chance.random() < 0.3:
        # Within a record: a cut between two is what a file system does with what was never synced.
        found = records(path)
        os.truncate(path, chance.choice([place for place in range(max(1, size - 3000), found[-1]) if place not in found]))
        return path, "cut"
    flip(path, chance.randrange(size) if chance.random() < 0.5 else chance.randrange(max(0, size - 3000), size), chance)
    return path, "flipped"


def trials(tally, count, chance):
    outcomes = {"refused": 0, "set aside": 0}
    for trial in range(count):
        house, crowd = written(chance, chance.uniform(0.1, 0.5))
        whole = house.data + ".whole"
        shutil.copytree(house.data, whole)
        path, how = damage(house, chance)
        house.launch()
        if not house.await_ready():
            # Refused, and nothing was touched: with the right bytes all is well.
            said = house.log_text()
            check(house.process.returncode == 1, "a damaged journal ended the start with", house.process.returncode)
            if path not in said:
                tally.wrong("a start was refused and the message does not name the segment:", said[-500:])
            outcomes["refused"] += 1
            shutil.copyfile(os.path.join(whole, "journal", os.path.basename(path)), path)
            house.restart()
            loud = False
        else:
            loud = "the journal ended in bytes that are no record" in house.log_text()
            if loud and not os.path.exists(path + ".torn"):
                tally.wrong("a torn tail was not kept")
            outcomes["set aside"] += loud
        crowd.retry(share=0 if loud else 0.5)
        house.finish()
        seen = Tally()
        found = judge(crowd, seen)
        if loud:
            # What was cut off or hit is gone, and was said to be: no more than the records behind that place.
            seen.lost = 0
        for name in ("acknowledged", "lost", "doubled", "unexplained"):
            setattr(tally, name, getattr(tally, name) + getattr(seen, name))
        if seen.lost or seen.doubled or seen.unexplained:
            say("trial", trial, how, "lost, doubled, unexplained:", *found)
        tally.trials += 1
        shutil.rmtree(whole, ignore_errors=True)
        house.end()
    tally.note(", ".join(f"{what} {number}" for what, number in outcomes.items()))


def cut_without_a_trace(tally, chance):
    """Whole records are cut off the end after they were synced, which leaves nothing to notice."""
    # Where clients are slow, the last records may be of batches whose answers they never read.
    for _ in range(5):
        house, crowd = written(chance, 0.5)
        path = segments(house)[-1]
        found = records(path)
        os.truncate(path, found[len(found) // 2])
        house.restart()
        house.finish()
        judge(crowd, tally)
        house.end()
        if tally.lost:
            break


ROWS = [
    Row("3", "bits of the journal flipped, its end cut off: refused or said aloud", 60, 3, trials,
        [Control("synced records removed without a trace", cut_without_a_trace, "lost")]),
]
