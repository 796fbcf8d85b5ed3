"""The house under test: a `throng serve`, and a PostgreSQL of the suite's own."""

import collections
import http.client
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../EndToEndTests/Programs/Support"))

import daemon  # noqa: E402
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
    expires: {time.strftime("%Y-%m-%d", time.gmtime(time.time() + 200 * 86400))}, purpose: product, dimensions: [x, y, z],
    period: month, measures: {{reach: true}}, contribution_bound: 10000, margins: [[x]]}}
"""


class Postgres:
    """A PostgreSQL of the suite's own, for as many houses as come; stopped and removed at the end.

    It is not what is broken here, so that by default it does not sync: `durable` makes it as an operator would.
    """

    def __init__(self, durable=False):
        self.folder = tempfile.mkdtemp(prefix="tfp-", dir="/tmp")
        os.chmod(self.folder, 0o755)
        self.data = os.path.join(self.folder, "data")
        os.mkdir(self.data, 0o700)
        if os.getuid() == 0:
            user = pwd.getpwnam("postgres")
            os.chown(self.data, user.pw_uid, user.pw_gid)
            os.chown(self.folder, user.pw_uid, user.pw_gid)
        self.programs = max(
            (os.path.join("/usr/lib/postgresql", version, "bin") for version in os.listdir("/usr/lib/postgresql")),
            key=lambda path: int(path.split("/")[-2]))
        self.made = 0
        if daemon.has_cluster():
            daemon.copy_cluster(self.data)
        else:
            self.command("initdb", "-D", self.data, "-U", "postgres", "--encoding=UTF8", "--locale=C", "--auth=trust",
                         "--no-sync", "--no-instructions")
        with open(os.path.join(self.data, "postgresql.conf"), "a") as file:
            file.write(f"\nlisten_addresses = ''\nunix_socket_directories = '{self.folder}'\nmax_connections = 60\n"
                       f"fsync = {'on' if durable else 'off'}\nfull_page_writes = {'on' if durable else 'off'}\n"
                       "timezone = 'UTC'\njit = off\nmax_wal_size = 1GB\n")
        daemon.atexit.register(self.clean)
        self.start()
        # Migrated once; every house gets a copy.
        self.sql("postgres", "create database throng")
        done = subprocess.run(
            [daemon.BINARY, "database", "--migrate", "--database", self.url("throng")], capture_output=True, text=True,
            env=daemon.environment())
        check(done.returncode == 0, "migrate:", done.stderr)

    def command(self, program, *arguments):
        prefix = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--"] if os.getuid() == 0 else []
        with open(os.path.join(self.folder, "command.log"), "a+") as log:
            done = subprocess.run(
                [*prefix, os.path.join(self.programs, program), *arguments], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                cwd="/", timeout=300)
            log.seek(0)
            check(done.returncode == 0, program, "ended with", done.returncode, log.read()[-2000:])

    def start(self):
        self.command("pg_ctl", "start", "-D", self.data, "-w", "-t", "240", "-s", "-l", os.path.join(self.folder, "server.log"))

    def stop(self, mode="fast"):
        """`immediate` is as good as kill -9."""
        self.command("pg_ctl", "stop", "-D", self.data, "-w", "-t", "240", "-s", "-m", mode)

    shared_one = None

    @classmethod
    def shared(cls):
        """One for all rows that do not touch it."""
        cls.shared_one = cls.shared_one or cls()
        return cls.shared_one

    def url(self, database):
        return f"host={self.folder} user=postgres dbname={database}"

    def house(self):
        """The name of a fresh database."""
        self.made += 1
        name = f"house{self.made}"
        self.sql("postgres", f"create database {name} template throng")
        return name

    def sql(self, database, query):
        """Rows as lists of text."""
        done = subprocess.run(
            ["psql", "-X", "-q", "-A", "-t", "-F", "\x1f", "-v", "ON_ERROR_STOP=1", "-d", self.url(database), "-c", query],
            capture_output=True, text=True, timeout=300)
        check(done.returncode == 0, "psql:", done.stderr)
        return [line.split("\x1f") for line in done.stdout.split("\n") if line]

    def clean(self):
        if os.path.exists(os.path.join(self.data, "postmaster.pid")):
            try:
                self.stop("immediate")
            except Failure as failure:
                say(failure)
        if not os.environ.get("THRONG_TEST_KEEP"):
            shutil.rmtree(self.folder, ignore_errors=True)


def comes(holds, seconds=60, pause=0.01):
    """Whether something holds soon enough."""
    deadline = time.monotonic() + seconds
    while not (found := holds()) and time.monotonic() < deadline:
        time.sleep(pause)
    return found


class House(daemon.Daemon):
    """A `throng serve` on a database of that PostgreSQL, with its data directory where the test wants it.

    `settings` are its environment, to be changed between two starts. Without `database` it gets a fresh one.
    """

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
        return [*self.prefix, *super().arguments(), "--database", self.address or self.postgres.url(self.database)]

    def sql(self, query):
        return self.postgres.sql(self.database, query)

    def beside(self, data, **settings):
        """Another house on the same database, with ports of its own."""
        return House(self.postgres, data=data, database=self.database, **{**self.settings, **settings})

    def change_plan(self, *changes):
        """Pairs of what is in the plan, and what stands there instead."""
        with open(self.plan) as file:
            text = file.read()
        for before, after in changes:
            check(before in text, "the plan has no", before)
            text = text.replace(before, after)
        with open(self.plan, "w") as file:
            file.write(text)

    @property
    def has_ended(self):
        return self.process.poll() is not None

    def launch(self, **faults):
        """Starts without waiting; `faults` are environment variables of this start only."""
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                self.arguments(), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env=daemon.environment(**{**self.settings, **faults}))

    def await_ready(self, seconds=60):
        """True once it takes batches; false where it ended before."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if self.has_ended:
                return False
            try:
                if self.get("/healthz")[0] == 200:
                    return True
            except (OSError, http.client.HTTPException):
                pass
            time.sleep(0.01)
        raise Failure("throng serve did not listen in time\n" + self.log_text()[-3000:])

    def restart(self, **faults):
        """A start that has to succeed."""
        self.launch(**faults)
        check(self.await_ready(), "throng serve ended with", self.process.poll(), "\n" + self.log_text()[-3000:])

    def until(self, what, holds, seconds=60):
        """Returns once it holds; the daemon lives meanwhile, and may be about to listen."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                if holds():
                    return
            except OSError:
                # Between waiting and being there.
                pass
            check(not self.has_ended, "throng serve ended with", self.process.poll(), self.log_text()[-3000:])
            check(time.monotonic() < deadline, what, "did not happen\n" + self.log_text()[-3000:])
            time.sleep(0.03)

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
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            # The lag of a start whose first flush has not been yet is only known afterwards.
            found = self.metrics()
            if found["throng_journal_lag_batches"] == 0 and found["throng_database_up"] == 1:
                return
            time.sleep(0.02)
        raise Failure("PostgreSQL did not catch up\n" + self.log_text()[-3000:])

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
        with open(f"/proc/{self.process.pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

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
        self.postgres.sql("postgres", f"drop database if exists {self.database} with (force)")
        self.clean()
        daemon.atexit.unregister(self.clean)
