"""Row 7: two daemons where one should be. A second one on the same data directory refuses; one that was frozen while another took
its place acknowledges nothing more and ends; one that goes on before that flushes what it has acknowledged, and ends."""

import os
import shutil
import signal
import time


from clients import Crowd
from house import DEVICES, House, Postgres, check, say
from oracle import judge
from rows import Control, Row
import http.client

PAUSE = 0.01


def also(house, data):
    """Another house on the same database, with ports of its own."""
    return House(house.postgres, data=data, database=house.database, **house.settings)


def race(postgres, crowd_of, tally, chance):
    """Five starts at once on one data directory: one daemon, and four that refuse."""
    house, crowd = crowd_of(House(postgres))
    others = [also(house, house.data) for _ in range(4)]
    everyone = [house, *others]
    chance.shuffle(everyone)
    for each in everyone:
        each.launch()
    deadline = time.monotonic() + 60
    while sum(each.process.poll() is None for each in everyone) > 1 and time.monotonic() < deadline:
        time.sleep(0.02)
    living = [each for each in everyone if each.process.poll() is None]
    check(len(living) == 1, len(living), "daemons live on one data directory")
    for each in everyone:
        if each is not living[0]:
            check(each.process.returncode == 1, "a second daemon ended with", each.process.returncode)
            check(f"{house.data} is in use" in each.log_text(), "it does not say why:", each.log_text()[-500:])
    check(living[0].await_ready(), "the one that is left does not listen")
    crowd.house = living[0]
    crowd.start(pause=PAUSE, most=30)
    crowd.join()
    late = also(house, house.data)
    late.launch()
    check(late.process.wait(120) == 1, "a late second daemon ended with", late.process.returncode)
    crowd.start(pause=PAUSE, most=10)
    crowd.join()
    check(living[0].stop() == 0, "SIGTERM ended with", living[0].process.returncode)
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


def await_place(house, seconds=180):
    """Returns once it has its place, and takes batches."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            if house.get("/readyz")[0] == 200:
                return
        except OSError:
            # Between waiting and being there.
            pass
        check(house.process.poll() is None, "it ended with", house.process.poll(), house.log_text()[-2000:])
        check(time.monotonic() < deadline, "it did not get its place\n", house.log_text()[-2000:])
        time.sleep(0.05)


class Line:
    """A client of the frozen daemon: its request is on its way when the daemon stands still."""

    def __init__(self, crowd, house):
        self.crowd = crowd
        self.batch = crowd.new()
        self.connection = http.client.HTTPConnection("127.0.0.1", house.port, timeout=30)
        self.connection.request(
            "POST", "/v1/batches", crowd.body(self.batch), {"content-type": "application/json"})

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


def take_over(postgres, crowd_of, tally, chance, same_folder):
    """The old daemon freezes under load, the new one starts and counts, the old one goes on."""
    house, crowd = crowd_of(House(postgres, THRONG_FLUSH_SECONDS=str(chance.choice([1, 3]))))
    house.restart()
    crowd.start(pause=PAUSE)
    time.sleep(chance.uniform(0.3, 2))
    freeze(house, chance)
    crowd.is_stopping = True
    # What its clients sent in the moment before.
    lines = [Line(crowd, house) for _ in range(20)]
    if same_folder:
        # As on a file system that has lost its locks.
        os.unlink(os.path.join(house.data, "lock"))
        other = also(house, house.data)
    else:
        copy = os.path.join(house.folder, "copy")
        shutil.copytree(house.data, copy)
        other = also(house, copy)
    other.restart()
    # Who is frozen can't give its place back: the other one waits for as long as that may take.
    await_place(other)
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
    code = house.process.wait(120)
    crowd.stop()
    check(code == 1, "the fenced daemon ended with", code, house.log_text()[-2000:])
    check("another process has taken this daemon's place" in house.log_text(), "it does not say why")
    say(f"a fenced daemon was gone after {time.monotonic() - thawed:.1f} s")
    if not same_folder:
        # The old copy must not come back.
        house.launch()
        check(house.process.wait(120) == 1, "the old copy started again")
        check("another copy of this data directory" in house.log_text(), "and does not say why:", house.log_text()[-800:])
    crowd.retry()
    other.kill()
    other.restart()
    # A stop that PostgreSQL does not let finish leaves the rest to the next start.
    other.drain()
    check(other.stop() == 0, "SIGTERM ended with", other.process.returncode, other.log_text()[-2000:])
    found = judge(crowd, tally)
    if any(found):
        say(f"{answers.count(202)} of what the frozen one was sent was acknowledged\n", house.log_text()[-3000:])
        say("the new one:\n" + other.log_text()[-4000:])
        # Whether the next start finds in the journal what PostgreSQL lacks.
        other.restart()
        other.stop()
        say("counters after another start:", other.sql("select sum(value) from throng.counter where measure = 0"))
    other.clean()
    house.clean()
    return found


def handed_over(postgres, crowd_of, tally, chance, **faults):
    """The old daemon stands still for a moment that it may not even notice, while another starts on a copy: it goes on
    acknowledging, so all of that has to be flushed before its place is taken. A copy does not know whom the old one met after it
    was made: devices that the oracle counts meet one of the two."""
    house, crowd = crowd_of(House(postgres, THRONG_FLUSH_SECONDS=str(chance.choice([1, 3, 600]))))
    house.restart()
    crowd.devices = range(500)
    crowd.start(pause=PAUSE)
    time.sleep(chance.uniform(0.3, 2))
    house.process.send_signal(signal.SIGSTOP)
    frozen = time.monotonic()
    # What its clients sent in the moment before: it takes them as soon as it goes on.
    lines = [Line(crowd, house) for _ in range(20)]
    copy = os.path.join(house.folder, "copy")
    shutil.copytree(house.data, copy)
    other = also(house, copy)
    other.settings = {**house.settings, "THRONG_FLUSH_SECONDS": "1"}
    before = house.sql("select fence from throng.watermark")
    other.launch(**faults)
    length = chance.choice([chance.uniform(1.5, 2.7), chance.uniform(3.3, 6)])
    if faults:
        # It takes the place before the old one goes on.
        length = 2.8
        while house.sql("select fence from throng.watermark") == before and time.monotonic() - frozen < length:
            time.sleep(0.02)
        length = min(length, time.monotonic() - frozen)
    time.sleep(max(0, frozen + length - time.monotonic()))
    acknowledged = crowd.answers[202]
    house.process.send_signal(signal.SIGCONT)
    answers = [line.finish() for line in lines]
    code = house.process.wait(120)
    crowd.stop()
    check(code == 1, "the daemon that was replaced ended with", code, house.log_text()[-2000:])
    check("another process has taken this daemon's place" in house.log_text(), "it does not say why")
    say(f"frozen for {length:.1f} s, it acknowledged {crowd.answers[202] - acknowledged + answers.count(202)} batches more, then ended")
    house.launch()
    check(house.process.wait(120) == 1, "the old copy started again")
    check("another copy of this data directory" in house.log_text(), "and does not say why:", house.log_text()[-800:])
    await_place(other)
    crowd.house = other
    crowd.devices = range(500, DEVICES)
    crowd.start(pause=PAUSE, most=20)
    crowd.join()
    other.drain()
    check(other.stop() == 0, "SIGTERM ended with", other.process.returncode, other.log_text()[-2000:])
    found = judge(crowd, tally)
    if any(found) and not faults:
        say("the old one:\n" + house.log_text()[-3000:])
        say("the new one:\n" + other.log_text()[-3000:])
    other.clean()
    house.clean()
    return found


def without_lease(tally, chance):
    """The copy takes the place at once: what the old one acknowledges until it notices is in its own journal only."""
    def crowd_of(house):
        return house, Crowd(house, chance)

    # On a busy machine the old one may have nothing to acknowledge in the moment that counts.
    for _ in range(10):
        handed_over(Postgres.shared(), crowd_of, tally, chance, THRONG_FAULT="take_without_lease")
        if tally.lost:
            break


def frozen_alone(postgres, crowd_of, tally, chance):
    """Nobody took its place: a daemon that stood still goes on, with or without PostgreSQL."""
    house, crowd = crowd_of(House(postgres))
    house.restart()
    crowd.start(pause=PAUSE)
    time.sleep(chance.uniform(0.3, 1.5))
    house.process.send_signal(signal.SIGSTOP)
    time.sleep(chance.uniform(9, 10))
    house.process.send_signal(signal.SIGCONT)
    before = crowd.answers[202]
    deadline = time.monotonic() + 60
    while crowd.answers[202] < before + 20 and time.monotonic() < deadline:
        time.sleep(0.05)
    check(crowd.answers[202] >= before + 20, "it acknowledges no more", house.log_text()[-2000:])
    crowd.stop()
    # A PostgreSQL that is too slow for the question is as one that is away.
    check("PostgreSQL says that it was not" in house.log_text() or "PostgreSQL can't be asked" in house.log_text(),
          "it did not ask")
    check(house.stop() == 0, "SIGTERM ended with", house.process.returncode)
    found = judge(crowd, tally)
    house.clean()
    return found


KINDS = [
    handed_over, lambda *a: take_over(*a, False), lambda *a: take_over(*a, True), race, frozen_alone,
]


def trials(tally, count, chance):
    postgres = Postgres.shared()

    def crowd_of(house):
        return house, Crowd(house, chance)

    for trial in range(count):
        found = KINDS[trial % len(KINDS)](postgres, crowd_of, tally, chance)
        tally.trials += 1
        if any(found):
            say("trial", trial, "kind", trial % len(KINDS), "lost, doubled, unexplained:", *found)


def no_fence(tally, chance):
    """The fence and the watermark of the old daemon are put back: what both had is counted twice."""
    house = House(Postgres.shared(), THRONG_FLUSH_SECONDS="600")
    crowd = Crowd(house, chance)
    house.restart()
    house.drain()
    crowd.start(pause=PAUSE, most=20)
    crowd.join()
    row = house.sql("select position, fence from throng.watermark")[0]
    freeze(house, chance)
    copy = os.path.join(house.folder, "copy")
    shutil.copytree(house.data, copy)
    other = also(house, copy)
    other.restart()
    await_place(other)
    check(other.stop() == 0, "SIGTERM ended with", other.process.returncode)
    house.sql(f"update throng.watermark set position = {row[0]}, fence = {row[1]}")
    house.process.send_signal(signal.SIGCONT)
    check(house.stop() == 0, "SIGTERM ended with", house.process.returncode)
    judge(crowd, tally)
    other.clean()
    house.clean()


ROWS = [
    Row("7", "a second daemon, and one that was frozen while another took its place", 40, 5, trials, [
        Control("fence and watermark put back", no_fence, "doubled"),
        Control("the place is taken without waiting", without_lease, "lost"),
    ]),
]
