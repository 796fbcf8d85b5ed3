"""What a fault may not do: lose an acknowledged event, or count any event twice.

Every event has a cell of its own. Clients write down which batches were acknowledged and which were sent without an answer.
Whatever was broken meanwhile, PostgreSQL must end up with 1 in every cell of an acknowledged batch, 0 or 1 (the same for all of
its cells) in those of an unacknowledged one, and nothing anywhere else; and with the exact number of devices everywhere.
"""

import collections
import dataclasses
import http.client
import json
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../EndToEndTests/Programs"))

import daemon  # noqa: E402
from daemon import Failure, check, say  # noqa: E402

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


# The house under test

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
            [daemon.BINARY, "database", "migrate", "--database", self.url("throng")], capture_output=True, text=True,
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
        self.command("pg_ctl", "start", "-D", self.data, "-w", "-s", "-l", os.path.join(self.folder, "server.log"))

    def stop(self, mode="fast"):
        """`immediate` is as good as kill -9."""
        self.command("pg_ctl", "stop", "-D", self.data, "-w", "-s", "-m", mode)

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


class House(daemon.Daemon):
    """A `throng serve` on a database of that PostgreSQL, with its data directory where the test wants it.

    `prefix` goes before the command (strace), `settings` are its environment: change either between two starts.
    """

    def __init__(self, postgres, data=None, prefix=(), **settings):
        # However slow this machine is just now, flushes follow one another closely: that is where faults are looked for.
        super().__init__(PLAN, "faults", **{"THRONG_FLUSH_MOST_SECONDS": "1", **settings})
        self.postgres = postgres
        self.database = postgres.house()
        self.data = data or self.data
        self.prefix = list(prefix)
        self.more = []
        # Where clients post; a proxy's port may stand here.
        self.client_port = self.port

    def arguments(self):
        return [*self.prefix, *super().arguments(), "--database", self.postgres.url(self.database), *self.more]

    def sql(self, query):
        return self.postgres.sql(self.database, query)

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
            if self.process.poll() is not None:
                return False
            try:
                if self.get("/healthz")[0] == 200:
                    return True
            except (OSError, http.client.HTTPException):
                pass
            time.sleep(0.01)
        raise Failure("throng serve did not listen in time\n" + self.log_text()[-3000:])

    def restart(self):
        """A start that has to succeed."""
        self.launch()
        check(self.await_ready(), "throng serve ended with", self.process.poll(), "\n" + self.log_text()[-3000:])

    def drain(self, seconds=120):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            # The lag of a start whose first flush has not been yet is only known afterwards.
            found = self.metrics()
            if found["throng_journal_lag_batches"] == 0 and found["throng_database_up"] == 1:
                return
            time.sleep(0.02)
        raise Failure("PostgreSQL did not catch up\n" + self.log_text()[-3000:])

    def end(self):
        """This house is not needed any more."""
        if self.process and self.process.poll() is None:
            self.kill()
        self.postgres.sql("postgres", f"drop database if exists {self.database} with (force)")
        self.clean()
        daemon.atexit.unregister(self.clean)


# Clients

@dataclasses.dataclass
class Batch:
    """Twenty events in twenty cells that nobody else touches."""
    place: int
    id: str
    device: int
    # 202 once it was acknowledged.
    status: int = None
    # What the oracle has said of it already.
    judged: str = None

    @property
    def cells(self):
        return range(self.place * BATCH, self.place * BATCH + BATCH)


class Crowd:
    """The clients of one house, and what they know. One crowd lives as long as its house's data."""

    def __init__(self, house, chance, now=None):
        self.house = house
        self.chance = chance
        self.batches = []
        self.lock = threading.Lock()
        # Whose the next batches are.
        self.devices = range(DEVICES)
        self.window = int(now or time.time()) // ROTATION
        self.at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now))
        self.answers = collections.Counter()
        self.threads = []
        self.failure = None

    @property
    def has_room(self):
        """Whether there are cells left for another trial; one may take as many again."""
        return len(self.batches) * BATCH < CELLS // 2

    def body(self, batch):
        events = [
            {"event": "hit", "at": self.at, "fields": {
                "x": str(cell // SIDE // SIDE), "y": str(cell // SIDE % SIDE), "z": str(cell % SIDE)}}
            for cell in batch.cells]
        return json.dumps({
            "app": "faults", "purpose": "product", "window": self.window, "batch": batch.id, "id": f"device {batch.device}",
            "context": {}, "events": events}).encode()

    def new(self):
        with self.lock:
            place = len(self.batches)
            check((place + 1) * BATCH <= CELLS, "the house has no cells left")
            batch = Batch(place, "%032x" % self.chance.getrandbits(128), self.chance.choice(self.devices))
            self.batches.append(batch)
            return batch

    def connect(self, seconds=30):
        return http.client.HTTPConnection("127.0.0.1", self.house.client_port, timeout=seconds)

    def send(self, connection, batch):
        """Posts once; the status. A refusal other than "not now" is an error of the test."""
        connection.request("POST", "/v1/batches", self.body(batch), {"content-type": "application/json"})
        response = connection.getresponse()
        text = response.read()
        self.answers[response.status] += 1
        if response.status == 202:
            check(json.loads(text)["accepted"] == BATCH, "a batch was refused in part:", text)
            batch.status = 202
        else:
            check(response.status == 503, "status", response.status, text)
            check(response.getheader("retry-after"), "503 does not say when to come again")
        return response.status

    def start(self, clients=4, most=10**9, pause=0):
        """Clients that send new batches until the daemon goes away, `stop` is called, or each has sent `most`."""
        self.is_stopping = False
        self.failure = None

        def work():
            connection = self.connect()
            try:
                for _ in range(most):
                    # One place for each client that comes this far at the same time.
                    if self.is_stopping or (len(self.batches) + clients) * BATCH > CELLS:
                        return
                    if self.send(connection, self.new()) == 503:
                        time.sleep(0.05)
                    elif pause:
                        time.sleep(pause)
            except (OSError, http.client.HTTPException):
                return
            except Exception as error:
                self.failure = error
            finally:
                connection.close()

        self.threads = [threading.Thread(target=work) for _ in range(clients)]
        for thread in self.threads:
            thread.start()

    def stop(self):
        self.is_stopping = True
        self.join()

    def join(self):
        for thread in self.threads:
            thread.join()
        if self.failure:
            raise self.failure

    def retry(self, share=0.5, seconds=60):
        """As clients do: sends some of what has no answer again, under the same id, until it is acknowledged; and some of
        what has one, which must change nothing."""
        again = [batch for batch in self.batches if batch.status != 202 and self.chance.random() < share]
        again += [batch for batch in self.batches[-40:] if batch.status == 202 and self.chance.random() < 0.2]
        deadline = time.monotonic() + seconds
        connection = self.connect()
        for batch in again:
            while self.send(connection, batch) != 202:
                check(time.monotonic() < deadline, "a batch was not acknowledged in time\n" + self.house.log_text()[-3000:])
                time.sleep(0.05)
        connection.close()


# The verdict

@dataclasses.dataclass
class Tally:
    """What some trials came to. Units: events, but for `trials`."""
    trials: int = 0
    acknowledged: int = 0
    lost: int = 0
    doubled: int = 0
    unexplained: int = 0
    words: list = dataclasses.field(default_factory=list)

    def note(self, *words):
        """Something that a reader of the report should know."""
        text = " ".join(str(word) for word in words)
        if text not in self.words:
            self.words.append(text)

    def wrong(self, *words):
        """Something that no rule of the oracle names, and that must not be."""
        self.unexplained += 1
        self.note("WRONG:", *words)
        say("WRONG:", *words)


def judge(crowd, tally):
    """Compares PostgreSQL with what the clients know, and adds what was not said before; lost, doubled and unexplained of this
    time. The house must be drained, or have stopped in an orderly way."""
    rows = crowd.house.sql("select cell, value from throng.counter where measure = 0")
    # A list of n labels has n + 1 buckets: the last is `other`.
    width = SIDE + 1
    found = {}
    for cell, value in rows:
        cell = int(cell)
        x, y, z = cell // width // width, cell // width % width, cell % width
        if max(x, y, z) == SIDE:
            tally.wrong("a counter of a bucket that nobody sent")
            continue
        found[(x * SIDE + y) * SIDE + z] = int(value)
    devices = set()
    by_x = collections.defaultdict(set)
    leaves = collections.defaultdict(set)
    before = (tally.lost, tally.doubled, tally.unexplained)
    spoilt = any(batch.judged == "wrong" for batch in crowd.batches)
    for batch in list(crowd.batches):
        values = [found.pop(cell, 0) for cell in batch.cells]
        if batch.judged != "wrong":
            twice = sum(value > 1 for value in values)
            lost = values.count(0) if batch.status == 202 else 0
            partly = values.count(0) if batch.status != 202 and 0 in values and any(values) else 0
            tally.doubled += twice
            tally.lost += lost
            tally.unexplained += partly
            if partly:
                tally.note("a batch was counted in part")
            if batch.status == 202 and batch.judged is None:
                tally.acknowledged += BATCH
                batch.judged = "acknowledged"
            if twice or lost or partly:
                batch.judged = "wrong"
        for cell, value in zip(batch.cells, values):
            if value:
                x, y, z = cell // SIDE // SIDE, cell // SIDE % SIDE, cell % SIDE
                devices.add(batch.device)
                by_x[x].add(batch.device)
                leaves[(x * width + y) * width + z].add(batch.device)
    for cell in found:
        tally.unexplained += 1
        tally.note("a cell holds a count that nobody sent")
    if not spoilt and (tally.lost, tally.doubled, tally.unexplained) == before:
        # Where counts are wrong devices are too, and need no second mention.
        expected = {(7, cell): len(each) for cell, each in leaves.items()}
        expected.update({(1, cell): len(each) for cell, each in by_x.items()})
        if devices:
            expected[(0, 0)] = len(devices)
        stored = {
            (int(margin), int(cell)): int(devices) for margin, cell, devices in crowd.house.sql(
                f"select margin, cell, devices from throng.distinct_count where window_number = {crowd.window}")}
        for key in expected.keys() | stored.keys():
            if expected.get(key, 0) != stored.get(key, 0):
                tally.wrong("devices of margin and cell", key, "are", stored.get(key, 0), "instead of", expected.get(key, 0))
                break
    after = (tally.lost, tally.doubled, tally.unexplained)
    return tuple(now - then for now, then in zip(after, before))


# Rows

@dataclasses.dataclass
class Control:
    """A trial in which the promise is broken on purpose: the oracle has to notice, or it proves nothing."""
    title: str
    # run(tally, random): trials of its own, judged into the tally.
    run: callable
    # "lost", "doubled" or "unexplained": what the tally must hold afterwards.
    sees: str


@dataclasses.dataclass
class Row:
    """One row of the suite. A program in this folder that has a list ROWS of these is found by suite.py."""
    name: str
    title: str
    # Trials of the full run, and of the quick one in Deploy/test.
    trials: int
    quick: int
    # run(tally, trials, random): so many trials, each judged into the tally.
    run: callable
    controls: list
    # Returns why this machine can't run it, or None.
    obstacle: callable = lambda: None
