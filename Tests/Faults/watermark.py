"""Row 6: PostgreSQL comes back older than it was. Flushes that it had and has lost are made again from what was kept, exactly."""

import os
import shutil
import time

from clients import Crowd, moved_in
from house import House, Postgres, check, comes
from oracle import judge
from rows import Control, Row
from sites import no_watermark

PAUSE = 0.02


class Server(Postgres):
    """A PostgreSQL of which base backups are taken, and that is set back to one."""

    def back_up(self):
        """An online base backup, as an operator takes it."""
        target = os.path.join(self.folder, f"backup{time.monotonic_ns()}")
        self.run("pg_basebackup", "-D", target, "-h", self.folder, "-U", "postgres", "-c", "fast", "-X", "fetch",
                     "--no-sync", "--no-manifest")
        return target

    def go_down(self):
        self.stop("immediate")

    def come_up_as(self, backup):
        shutil.rmtree(self.data)
        os.rename(backup, self.data)
        self.start()


class Standby(Postgres):
    """A standby that follows asynchronously, until it is cut off and takes over."""

    def __init__(self, primary):
        self.primary, self.made = primary, 0
        self.folder = os.path.join(primary.folder, f"standby{time.monotonic_ns()}")
        self.data = os.path.join(self.folder, "data")
        os.mkdir(self.folder, 0o755)
        shutil.chown(self.folder, *(["postgres", "postgres"] if os.getuid() == 0 else [os.getuid()]))
        self.run("pg_basebackup", "-D", self.data, "-h", primary.folder, "-U", "postgres", "-c", "fast", "-X", "stream", "-R",
                 "--no-sync", "--no-manifest")
        self.start()

    def is_level(self):
        return self.sql("select pg_last_wal_replay_lsn()", "postgres") == self.primary.sql("select pg_current_wal_flush_lsn()", "postgres")

    def take_over(self):
        self.start()
        self.run("pg_ctl", "promote", "-D", self.data, "-w", "-s")

    def at(self, database):
        """A connection string that names both, as one with a standby does."""
        return f"host={self.primary.folder},{self.folder} user=postgres dbname={database} target_session_attrs=read-write"


def position(house):
    return int(house.sql("select coalesce(max(position), 0) from throng.watermark")[0][0])


def advance(house, crowd, flushes=2):
    """Load until PostgreSQL has had so many more flushes."""
    for _ in range(flushes):
        before = position(house)
        crowd.start(clients=2, pause=PAUSE, most=40)
        house.until("a flush", lambda: position(house) > before)
        crowd.stop()


def noticed(house):
    return house.metrics()["throng_database_set_backs_total"]


def conclude(house, crowd, tally, back):
    """Without anybody's help PostgreSQL has to get everything again; then an orderly stop, and the oracle."""
    if back is not None:
        house.until("that PostgreSQL is older is noticed", lambda: noticed(house) > 0)
        house.until("what was lost comes back", lambda: position(house) >= back)
    crowd.run(clients=2, pause=PAUSE, most=10)
    house.finish()
    return judge(crowd, tally)


def restore_under_load(server, house, crowd, tally, chance):
    """A base backup is restored while the daemon runs and clients post."""
    house.restart()
    advance(house, crowd)
    backup = server.back_up()
    # Once PostgreSQL is there again the daemon may bring back what it lost before anybody has looked.
    held = position(house)
    advance(house, crowd, chance.randint(1, 3))
    crowd.start(clients=2, pause=PAUSE)
    time.sleep(chance.uniform(0, 1.2))
    last = position(house)
    check(held < last, "the backup is not older")
    server.go_down()
    time.sleep(chance.uniform(0, 0.5))
    server.come_up_as(backup)
    time.sleep(0.5)
    crowd.stop()
    return conclude(house, crowd, tally, last)


def restore_after_crash(server, house, crowd, tally, chance):
    """The daemon dies too, with kill -9 or at a named place, and finds the older PostgreSQL at its start."""
    point = chance.choice([None, "before_keep", "after_keep", "before_transaction.commit", "answered_transaction.commit"])
    house.restart()
    advance(house, crowd)
    backup = server.back_up()
    advance(house, crowd)
    house.stop()
    house.launch(**({"THRONG_FAULT_POINT": f"{point}:{chance.randint(1, 2)}"} if point else {}))
    if house.await_ready():
        crowd.start(clients=2, pause=PAUSE)
        comes(lambda: house.has_ended, 8 if point else chance.uniform(0.1, 2.5))
        house.kill()
        crowd.stop()
    house.process.wait()
    last = position(house)
    server.go_down()
    if chance.random() < 0.5:
        # The daemon is there first and takes batches before it can know.
        house.restart()
        crowd.run(clients=2, pause=PAUSE, most=20)
        server.come_up_as(backup)
    else:
        server.come_up_as(backup)
        house.restart()
    return conclude(house, crowd, tally, last)


def failover(server, house, crowd, tally, chance):
    """The primary dies; an asynchronous standby that did not have everything takes over."""
    standby = Standby(server)
    house.address = standby.at(house.database)
    house.restart()
    advance(house, crowd)
    house.until("the standby follows", standby.is_level)
    standby.stop()
    held = position(house)
    advance(house, crowd, chance.randint(1, 2))
    crowd.start(clients=2, pause=PAUSE)
    time.sleep(chance.uniform(0, 1.2))
    last = position(house)
    check(held < last, "the standby had everything")
    server.go_down()
    standby.take_over()
    house.postgres = standby
    time.sleep(0.5)
    crowd.stop()
    try:
        return conclude(house, crowd, tally, last)
    finally:
        # The old primary is gone for good: the next trial has a server of its own.
        standby.stop("immediate")
        server.is_dead = True


KINDS = [restore_under_load, failover, restore_after_crash]


def trials(tally, count, chance):
    server = None
    for trial in range(count):
        if server is None or getattr(server, "is_dead", False):
            if server:
                server.clean()
            server = Server()
        kind = KINDS[trial % len(KINDS)]
        house = House(server)
        crowd = Crowd(house, chance)
        tally.add(kind(server, house, crowd, tally, chance), kind.__name__)
        house.clean()
    server.clean()


def nothing_kept(tally, chance):
    """Nothing is kept: what the older PostgreSQL lacks stays away, and the daemon must say so."""
    server = Server()
    house, crowd = moved_in(chance, server, THRONG_FLUSH_KEEP_MINUTES="0")
    advance(house, crowd, 1)
    backup = server.back_up()
    advance(house, crowd, 1)
    server.go_down()
    server.come_up_as(backup)
    house.until("the refusal", lambda: "this needs a person" in house.log_text())
    judge(crowd, tally)
    house.kill()
    house.clean()
    server.clean()


ROWS = [
    Row("6", "PostgreSQL comes back older: restored backups, asynchronous failover", 50, 3, trials, [
        Control("nothing is kept", nothing_kept, "lost"), Control("no watermark", no_watermark, "doubled"),
    ]),
]
