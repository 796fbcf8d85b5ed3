"""The house under test: a `throng serve`, and a PostgreSQL of the suite's own."""

import collections
import contextlib
import os
import shutil
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../EndToEndTests/Programs/Support"))

import daemon  # noqa: E402
import fleet  # noqa: E402
from daemon import Failure, check, say  # noqa: E402

# What a daemon says that left something in its journal when it stopped.
LEFT = ("stopped before PostgreSQL had everything", "the stop took too long and is cut short")
SIDE = 64
CELLS = SIDE ** 3
BATCH = 20
DEVICES = 997
ROTATION = daemon.rotation_with_time_left([86400, 23 * 3600, 22 * 3600], 1200)

PLAN = f"""
app: {{name: faults, title: Faults, owner: Tests, contact: tests@example.com, audience: 1000, threshold: 5}}
purposes:
  product: {{explanation: To see what is lost., consent: not_required, rotation: {daemon.duration(ROTATION)}, retention: 90 days}}
dimensions:
  x: {{title: X, field: x, list: [{", ".join(f'"{n}"' for n in range(SIDE))}]}}
  y: {{title: Y, field: y, list: [{", ".join(f'"{n}"' for n in range(SIDE))}]}}
  z: {{title: Z, field: z, list: [{", ".join(f'"{n}"' for n in range(SIDE))}]}}
metrics:
  hits: {{title: Hits, events: [hit], question: Is it there?, decision: None., owner: Tests,
    expires: {daemon.expiry()}, purpose: product, dimensions: [x, y, z],
    period: month, measures: {{reach: true}}, contribution_bound: 10000, margins: [[x]]}}
"""


class Postgres(fleet.Postgres):
    """A PostgreSQL of the suite's own, for as many houses as come; stopped and removed at the end.

    It is not what is broken here, so that by default it does not sync: `durable` makes it as an operator would."""

    def __init__(self, durable=False, settings=""):
        self.made, sync = 0, "on" if durable else "off"
        self.settings = (f"\nfsync = {sync}\nfull_page_writes = {sync}\ntimezone = 'UTC'\njit = off\nmax_wal_size = 1GB\n" + settings)
        self.home = tempfile.mkdtemp(prefix="tfp-", dir="/tmp")
        os.chmod(self.home, 0o755)
        self.data = os.path.join(self.home, "postgres", "data")
        daemon.atexit.register(self.clean)
        super().__init__(self.home)
        # Migrated once; every house gets a copy.
        daemon.ran(daemon.BINARY, "database", "--migrate", "--database", self.at("throng"))

    shared_one = None

    @classmethod
    def shared(cls):
        """One for all rows that do not touch it."""
        cls.shared_one = cls.shared_one or cls()
        return cls.shared_one

    def at(self, database):
        return f"host={self.folder} user=postgres dbname={database}"

    def house(self):
        """The name of a fresh database."""
        self.made += 1
        name = f"house{self.made}"
        self.sql(f"create database {name} template throng", "postgres")
        return name

    def clean(self):
        if os.path.exists(os.path.join(self.data, "postmaster.pid")):
            try:
                self.stop("immediate")
            except Failure as failure:
                say(failure)
        if not os.environ.get("THRONG_TEST_KEEP"):
            shutil.rmtree(self.home, ignore_errors=True)


def comes(holds, seconds=60, pause=0.01):
    """Whether something holds soon enough."""
    deadline = time.monotonic() + seconds
    while not (found := holds()) and time.monotonic() < deadline:
        time.sleep(pause)
    return found


class House(daemon.Daemon):
    """A `throng serve` on a database of that PostgreSQL, with its data directory where the test wants it.

    `settings` are its environment, to be changed between two starts. Without `database` it gets a fresh one."""

    def __init__(self, postgres, data=None, database=None, **settings):
        # However slow this machine is just now, flushes follow one another closely: that is where faults are looked for.
        super().__init__(PLAN, "faults", **{"THRONG_TEST_FLUSH_MOST_SECONDS": "1", **settings})
        self.postgres = postgres
        self.database = database or postgres.house()
        self.data = data or self.data
        # Goes before the command, as strace does.
        self.prefix = []
        # How it reaches PostgreSQL, where it does not do so directly.
        self.address = None
        # Where clients post; a proxy's port may stand here.
        self.client_port = self.port

    def arguments(self):
        return [*self.prefix, *super().arguments(), "--database", self.address or self.postgres.at(self.database)]

    def sql(self, query):
        return self.postgres.sql(query, self.database)

    def beside(self, data, **settings):
        """Another house on the same database, with ports of its own."""
        return House(self.postgres, data=data, database=self.database, **{**self.settings, **settings})

    def change_plan(self, *changes):
        """Pairs of what is in the plan, and what stands there instead."""
        text = daemon.read(self.plan)
        for before, after in changes:
            check(before in text, "the plan has no", before)
            text = text.replace(before, after)
        daemon.write(self.plan, text)

    @property
    def has_ended(self):
        return self.process.poll() is not None

    def await_ready(self, seconds=60):
        """True once it takes batches; false where it ended before."""
        is_over = comes(lambda: self.has_ended or self.answers("/healthz"), seconds)
        check(is_over, "throng serve did not listen in time\n" + self.log_text()[-3000:])
        return not self.has_ended

    def restart(self, **faults):
        """A start that has to succeed."""
        self.launch(**faults)
        check(self.await_ready(), "throng serve ended with", self.process.poll(), "\n" + self.log_text()[-3000:])

    def until(self, what, holds, seconds=60):
        """Returns once it holds; the daemon lives meanwhile, and may be about to listen."""
        def is_so():
            # Between waiting and being there nobody listens.
            with contextlib.suppress(OSError):
                if holds():
                    return True
            return check(not self.has_ended, "throng serve ended with", self.process.poll(), self.log_text()[-3000:])
        check(comes(is_so, seconds, 0.03), what, "did not happen\n" + self.log_text()[-3000:])

    def await_place(self, seconds=180):
        """Returns once it has its place, and takes batches."""
        self.until("its place", lambda: self.get("/readyz")[0] == 200, seconds)

    def is_replaced(self, *words):
        """It ends by itself, and says why."""
        code = self.process.wait(120)
        check(code == 1, "the daemon that was replaced ended with", code, self.log_text()[-2000:])
        for each in words:
            check(each in self.log_text(), "it does not say:", each, self.log_text()[-800:])

    def stop(self, seconds=300):
        """SIGTERM, and PostgreSQL has everything; the exit code. A stop does not wait for a slow PostgreSQL for ever: what it
        says that it left in the journal, another start delivers."""
        for _ in range(3):
            said = len(self.log_text())
            code = super().stop(seconds)
            if code != 0 or not any(each in self.log_text()[said:] for each in LEFT):
                break
            self.restart()
            self.drain()
        return code

    def finish(self):
        """An orderly stop, which flushes."""
        code = self.stop()
        check(code == 0, "SIGTERM ended with", code, self.log_text()[-3000:])

    def drain(self, seconds=120):
        # The lag of a start whose first flush has not been yet is only known afterwards.
        self.until("PostgreSQL's catching up", lambda: (found := self.metrics())["throng_journal_lag_batches"] == 0
                   and found["throng_database_up"] == 1, seconds)

    def metrics(self, seconds=30):
        """Their port opens beside the one for clients: soon after it, perhaps."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                return super().metrics()
            except ConnectionRefusedError:
                if self.has_ended or time.monotonic() > deadline:
                    raise
                time.sleep(0.05)

    def lag(self):
        """Batches that PostgreSQL does not have yet."""
        return self.metrics()["throng_journal_lag_batches"]

    def counters(self):
        """Events by cell, as clients number these; None is a cell of buckets that nobody sends."""
        # A list of n labels has n + 1 buckets: the last is `other`.
        width, found = SIDE + 1, collections.Counter()
        for cell, value in self.sql("select cell, sum(value)::bigint from throng.counter where measure = 0 group by 1"):
            places = int(cell) // width // width, int(cell) // width % width, int(cell) % width
            x, y, z = places
            found[(x * SIDE + y) * SIDE + z if max(places) < SIDE else None] += int(value)
        return found

    def resident(self):
        """Memory. Unit: bytes."""
        return int(daemon.read(f"/proc/{self.process.pid}/statm").split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def forget_watermarks(self):
        """For controls: PostgreSQL forgets how far the journal has been counted."""
        self.sql("""
            create function throng.forget() returns trigger language plpgsql as
                $$ begin new.position := old.position; return new; end $$;
            create trigger forget before update on throng.watermark for each row execute function throng.forget()""")

    def await_doubles(self):
        """For controls that have batches counted again, of which each cell has one: returns once there are some."""
        comes(lambda: self.sql("select 1 from throng.counter where measure = 0 and value > 1 limit 1"), pause=0.3)

    def end(self):
        """This house is not needed any more."""
        if self.process and not self.has_ended:
            self.kill()
        self.postgres.sql(f"drop database if exists {self.database} with (force)", "postgres")
        self.clean()
        daemon.atexit.unregister(self.clean)
