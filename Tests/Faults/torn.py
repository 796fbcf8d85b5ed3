"""Row 3: bytes of a journal that was written under load are flipped, or its end is cut off. ThrongJournalTests do that to every
bit and at every length of a small one; this asks what a whole daemon makes of it."""

import os
import shutil
import time

from clients import Crowd
from house import DEVICES, House, Postgres, check, comes, say
from oracle import Tally, judge
from rows import Control, Row

SETTINGS = {"THRONG_TEST_JOURNAL_SEGMENT_BYTES": str(1 << 16), "THRONG_FLUSH_SECONDS": "3600"}


def written(chance, seconds):
    """A house that was killed under load, with a journal of which PostgreSQL has nothing."""
    house = House(Postgres.shared(), **SETTINGS)
    crowd = Crowd(house, chance)
    house.restart()
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
    with open(path, "rb") as file:
        content = file.read()
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
    with open(path, "r+b") as file:
        file.seek(place)
        byte = file.read(1)[0]
        file.seek(place)
        file.write(bytes([byte ^ (1 << chance.randrange(8))]))


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


# The same, and PostgreSQL away at the start

def counted_and_cut(chance, postgres):
    """A house whose batches PostgreSQL has, all of them, and whose journal has lost the last few since."""
    house = House(postgres, THRONG_TEST_JOURNAL_SEGMENT_BYTES=str(1 << 16))
    crowd = Crowd(house, chance)
    house.restart()
    crowd.start(clients=2, pause=0.005)
    time.sleep(chance.uniform(0.3, 0.8))
    crowd.stop()
    house.drain()
    house.kill()
    path = next(path for path in reversed(segments(house)) if len(records(path)) > 1)
    places = records(path)
    place = places[-1 - chance.randint(1, min(4, len(places) - 1))]
    return house, crowd, path, place


def away(tally, count, chance):
    """PostgreSQL has more than the journal, and can't be asked: nobody may be told that a batch was counted whose position
    PostgreSQL has already."""
    postgres = Postgres()
    waited = 0
    for _ in range(count):
        house, crowd, path, place = counted_and_cut(chance, postgres)
        how = chance.choice(["whole records cut off", "cut within a record", "a bit flipped"])
        if how == "a bit flipped":
            # In the last record, so that nothing follows that says it was on disk.
            place = records(path)[-2] + 8
            os.truncate(path, records(path)[-1])
            flip(path, place, chance)
        else:
            os.truncate(path, place + (chance.randint(1, 30) if how == "cut within a record" else 0))
        # Who was counted in what is lost is known to PostgreSQL alone: those that come now are others.
        crowd.devices = range(DEVICES, 2 * DEVICES)
        postgres.stop()
        for _ in range(chance.randint(1, 2)):
            house.restart()
            statuses = crowd.post(6)
            ready = house.get("/readyz")
            if ready[0] != 503 or set(statuses) != {503}:
                tally.wrong(how, "and PostgreSQL away: /readyz says", ready[0], "and batches get", statuses)
            house.kill()
        # Sometimes it is there to see PostgreSQL come back.
        stays = chance.random() < 0.5
        if stays:
            house.restart()
        postgres.start()
        if not stays:
            house.restart()
        house.await_place()
        waited += stays
        check(set(crowd.post(6)) == {202}, "a batch was not acknowledged")
        if chance.random() < 0.5:
            # From now on the journal leaps over what it lost.
            house.kill()
            if chance.random() < 0.5:
                postgres.stop()
                house.restart()
                crowd.post(6)
                postgres.start()
            else:
                house.restart()
            house.await_place()
            check(set(crowd.post(6)) == {202}, "a batch was not acknowledged")
        house.finish()
        tally.add(judge(crowd, tally), how)
        house.end()
    tally.note(waited, "waited until PostgreSQL was back")
    postgres.clean()


def bound_forgotten(tally, chance):
    """Nothing on disk says any more how far PostgreSQL may have come."""
    postgres = Postgres()
    house, crowd, path, place = counted_and_cut(chance, postgres)
    os.truncate(path, place)
    os.unlink(os.path.join(house.data, "offered"))
    shutil.rmtree(os.path.join(house.data, "flushed"))
    crowd.devices = range(DEVICES, 2 * DEVICES)
    postgres.stop()
    house.restart()
    crowd.post(2)
    house.kill()
    postgres.start()
    house.restart()
    house.finish()
    judge(crowd, tally)
    house.end()
    postgres.clean()


ROWS = [
    Row("3.away", "the journal loses its end, and PostgreSQL, which has it, is away at the start", 40, 2, away,
        [Control("nothing says how far PostgreSQL may have come", bound_forgotten, "lost")]),
    Row("3", "bits of the journal flipped, its end cut off: refused or said aloud", 60, 3, trials,
        [Control("synced records removed without a trace", cut_without_a_trace, "lost")]),
]
