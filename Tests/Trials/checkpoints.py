"""Checkpoints, beside a daemon that writes none: one house writes a checkpoint after every batch and is killed again and again, also at
each step of writing one; meanwhile somebody spoils what it wrote. Its twin replays its whole journal. After each trial both hold the
same of periods that are not released, row by row, and release, withhold and report the same. At last a day on which a table keeps
what is taken from it, to see that this is seen.

Usage: see Deploy/trial
"""

import argparse
import collections
import json
import os
import random
import re
import secrets
import signal
import struct
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "../EndToEndTests/Programs", folder) for folder in ("Support", "Privacy")]

import daemon  # noqa: E402
import withdrawn  # noqa: E402
from daemon import check, say, until  # noqa: E402
from two_houses import Day, House, plan  # noqa: E402
from long_house import DAY, HOUR, START  # noqa: E402

withdrawn.POINTS.update({"in_checkpoint": 60, "before_checkpoint": 4, "after_checkpoint": 4})
# As CheckpointIndex.swift states: of the head, and of the fields that an index begins with.
HEAD, DAEMON, THROUGH, LAYOUTS = 24, 0, 24, 32
TABLE = []
for number in range(256):
    for _ in range(8):
        number = number >> 1 ^ (0x82F63B78 if number & 1 else 0)
    TABLE.append(number)


def crc32c(data):
    found = 0xFFFFFFFF
    for byte in data:
        found = TABLE[(found ^ byte) & 0xFF] ^ found >> 8
    return found ^ 0xFFFFFFFF


class Index:
    """The index of a checkpoint, to be changed and put back with a right checksum."""

    def __init__(self, whole):
        size = struct.unpack("<I", whole[-8:-4])[0]
        self.before, self.bytes = whole[:-8 - size], bytearray(whole[-8 - size:-8])
        check(struct.unpack("<I", whole[-4:])[0] == self.checksum, "a checkpoint's checksum is wrong")

    @property
    def checksum(self):
        return crc32c(self.before[:HEAD] + self.bytes + struct.pack("<I", len(self.bytes)))

    def put(self, place, form, value):
        struct.pack_into(form, self.bytes, place, value)

    @property
    def segments(self):
        """Where the list of segments begins, and how many there are."""
        place = LAYOUTS + 4 + 32 * struct.unpack_from("<I", self.bytes, LAYOUTS)[0]
        return place + 4, struct.unpack_from("<I", self.bytes, place)[0]

    @property
    def windows(self):
        """The same of windows."""
        place, count = self.segments
        place += 40 * count
        return place + 4, struct.unpack_from("<I", self.bytes, place)[0]

    @property
    def whole(self):
        return bytes(self.before + self.bytes + struct.pack("<II", len(self.bytes), self.checksum))


# What becomes of a checkpoint while nobody runs: its bytes, or None where it goes. Afterwards a start can use it or not.

def left(whole, chance, former):
    return whole


def removed(whole, chance, former):
    return None


def flipped(whole, chance, former):
    found = bytearray(whole)
    # Heads, sizes and the index are a small part of it: they get as many.
    place = chance.choice([chance.randrange(len(found)), chance.randrange(40), len(found) - 1 - chance.randrange(400)])
    found[max(0, min(place, len(found) - 1))] ^= 1 << chance.randrange(8)
    return bytes(found)


def cut(whole, chance, former):
    return whole[:chance.randrange(len(whole))]


def lengthened(whole, chance, former):
    return whole + chance.randbytes(chance.choice([1, 4, 8, 100]))


def torn(whole, chance, former):
    """A stretch of zeroes, as where a page never came to disk."""
    place = chance.randrange(len(whole)) // 512 * 512
    return whole[:place] + bytes(min(512, len(whole) - place)) + whole[place + 512:]


def older(whole, chance, former):
    """One that it wrote earlier, as a copy of this file alone would bring back."""
    return chance.choice(former)


def newer(whole, chance, former):
    """One that goes on behind all that the journal has on disk."""
    index = Index(whole)
    index.put(THROUGH, "<Q", struct.unpack_from("<Q", index.bytes, THROUGH)[0] + chance.choice([1, 1000, 1 << 40]))
    return index.whole


def of_another_daemon(whole, chance, former):
    index = Index(whole)
    index.put(DAEMON + chance.randrange(16), "<B", chance.randrange(256))
    return index.whole


def of_another_journal(whole, chance, former):
    """Beside segments of other names, as where another process went on with a copy."""
    index = Index(whole)
    place, count = index.segments
    index.put(place + 40 * (count - 1) + 4, "<I", chance.getrandbits(32))
    return index.whole


def of_other_windows(whole, chance, former):
    """Its windows under each other's names."""
    index = Index(whole)
    place, count = index.windows
    names = [struct.unpack_from("<Q", index.bytes, place + 24 * number)[0] for number in range(count)]
    for number in range(count):
        index.put(place + 24 * number, "<Q", names[(number + 1) % count] if count > 1 else chance.getrandbits(64))
    return index.whole


KINDS = [left, removed, flipped, cut, lengthened, torn, older, newer, of_another_daemon, of_another_journal, of_other_windows]


def reordered():
    """The same plan with its metrics the other way round: their numbers are others."""
    head, rest = plan().split("\nmetrics:")
    body, tail = rest.split("\ninsights:")
    return head + "\nmetrics:" + "\n  ".join([""] + re.split(r"\n  (?=\w+: \{title)", body)[:0:-1]) + "\ninsights:" + tail


class Spoilt(withdrawn.Killed):
    """The house that dies, and whose checkpoints somebody spoils between two starts."""

    def __init__(self, house, chance, seconds):
        super().__init__(house, chance)
        self.path = os.path.join(house.data, "checkpoint")
        self.former, self.tally, self.pauses = [], collections.Counter(), seconds
        self.plans = [plan()]

    def read(self):
        try:
            with open(self.path, "rb") as file:
                return file.read()
        except FileNotFoundError:
            return None

    def spoil(self):
        whole = self.read()
        if self.chance.random() < 0.1:
            with open(self.path + ".new", "wb") as file:
                file.write(self.chance.randbytes(self.chance.randrange(200)))
        if whole is None:
            return
        self.former = (self.former + [whole])[-8:]
        kind = self.chance.choice(KINDS + [left, older] * 2)
        found = kind(whole, self.chance, self.former)
        self.tally[kind.__name__] += 1
        if found is None:
            os.unlink(self.path)
        else:
            with open(self.path, "wb") as file:
                file.write(found)

    def revive(self, **more):
        if self.house.process.poll() is not None:
            self.spoil()
            with open(self.house.plan, "w") as file:
                file.write(self.chance.choice(self.plans))
            if self.chance.random() < 0.1:
                more["THRONG_TEST_JOURNAL_CHECKPOINT_BYTES"] = "0"
        frozen = self.freeze() if self.chance.random() < 0.05 else None
        try:
            super().revive(**more)
        finally:
            if frozen:
                frozen()

    def freeze(self):
        """PostgreSQL says nothing to a start for some seconds: it goes on without it."""
        postmaster = self.house.postgres_pid()
        if not postmaster:
            return None
        mine = [postmaster]
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{name}/stat") as file:
                    if int(file.read().rsplit(")", 1)[1].split()[1]) == postmaster:
                        mine.append(int(name))
            except (FileNotFoundError, ProcessLookupError):
                continue
        for each in mine:
            os.kill(each, signal.SIGSTOP)
        self.tally["PostgreSQL hung"] += 1

        def thaw():
            for each in mine:
                try:
                    os.kill(each, signal.SIGCONT)
                except ProcessLookupError:
                    continue
        timer = threading.Timer(9, thaw)
        timer.start()

        def end():
            timer.cancel()
            thaw()
        return end

    def persist(self, act):
        """More deaths than those of withdrawals alone, most of them once a checkpoint is there that is not the one before."""
        if self.chance.random() < 0.05 and self.look():
            if self.chance.random() < 0.7:
                self.await_another()
            self.die("in between")
            self.revive()
        return super().persist(act)

    def await_another(self):
        before, deadline = self.read(), time.monotonic() + self.pauses
        while self.read() == before and time.monotonic() < deadline and self.house.process.poll() is None:
            time.sleep(0.05)

    def outcomes(self):
        """What its starts said of checkpoints."""
        text = self.house.log_text()
        found = collections.Counter(re.findall(r"the checkpoint can't be used: [^.]*", text))
        found["went on from a checkpoint"] = text.count("went on from a checkpoint")
        found["wrote a checkpoint"] = text.count("wrote a checkpoint")
        return found


def without_digests(released):
    """A release says by which plan it is, and its digest does; reports say both."""
    return {name: [[value and re.sub("[0-9a-f]{64}", "#", value) for value in row] for row in rows]
            for name, rows in released.items()}


def trial(spoilt, twin, day):
    """As in withdrawn.py; until all windows are over the plan's order changes, too."""
    spoilt.plans = [plan(), reordered()]
    late = withdrawn.meet(spoilt, twin, day)
    rows = withdrawn.compare(spoilt, twin, day, "before the release")
    spoilt.plans = [plan()]
    spoilt.die("in between")
    spoilt.revive()
    withdrawn.end_visits(spoilt, twin, day)
    withdrawn.compare(spoilt, twin, day, "after visits have ended")
    found, expected = (without_digests(each) for each in withdrawn.release(spoilt, twin, day))
    check(found == expected, "what is released differs:", withdrawn.difference(found, expected))
    return {"identifiers": len(day.identifiers), "withdrew": len(day.going), "later batches": late, "rows": rows,
            "published": len(expected["published"])}


def test():
    parser = argparse.ArgumentParser()
    parser.add_argument("trials", nargs="?", type=int, default=10)
    parser.add_argument("seed", nargs="?", type=int, default=secrets.randbits(32))
    words = parser.parse_args()
    chance = random.Random(words.seed)
    say("seed", words.seed)
    house = House()
    house.common["THRONG_TEST_JOURNAL_CHECKPOINT_BYTES"] = "1"
    spoilt = Spoilt(house, chance, 3)
    house.start()
    twin = House(house)
    twin.common["THRONG_TEST_JOURNAL_CHECKPOINT_BYTES"] = "0"
    twin.start()
    for each in (house, twin):
        until(each.has_calendar, "no calendar is kept")
    published = 0
    for number in range(words.trials):
        kind = {"size": 40, "going": 10} if number == 0 else {}
        day = Day(chance, START + number * DAY + chance.randint(8, 23) * HOUR + 600, **kind)
        spoilt.arm(chance.choice(list(withdrawn.POINTS)))
        found = trial(spoilt, twin, day)
        published += found["published"]
        say(f"trial {number + 1}, the same in both:", json.dumps(found))
    outcomes = spoilt.outcomes()
    say("deaths:", dict(spoilt.deaths))
    say("checkpoints:", dict(spoilt.tally))
    say("starts:", dict(outcomes))
    check(published, "no number was large enough to be released")
    check(outcomes["wrote a checkpoint"] and outcomes["went on from a checkpoint"], "no start went on from a checkpoint")
    check("went on from a checkpoint" not in twin.log_text(), "the twin has none")
    spoilt.point = None
    spoilt.look()
    table = chance.choice(list(withdrawn.TABLES))
    day = Day(chance, START + (words.trials + 1) * DAY + 10 * HOUR + 600, size=40, going=20)
    withdrawn.control(spoilt, twin, day, table)
    check(house.stop() == 0 and twin.stop() == 0, "serve stops gracefully")


if __name__ == "__main__":
    daemon.main(test)
