"""Several daemons of one PostgreSQL, on free loopback ports, and clients that post to any of them."""

import atexit
import collections
import contextlib
import http.client
import json
import os
import pwd
import random
import shutil
import signal
import tempfile
import threading
import time

import daemon
import fresh_cluster
from daemon import Failure, check

# What comes of a batch whose window was over before anybody was asked to count it.
NEVER = {}


class Postgres:
    """A PostgreSQL on a Unix socket, as the user postgres."""

    programs = fresh_cluster.programs()
    # What is added to its configuration.
    settings = ""

    def __init__(self, folder):
        self.folder = os.path.join(folder, "postgres")
        os.mkdir(self.folder)
        user = pwd.getpwnam("postgres")
        os.chown(self.folder, user.pw_uid, user.pw_gid)
        if daemon.has_cluster():
            daemon.copy_cluster(self.folder + "/data")
        else:
            self.run("initdb", "-D", self.folder + "/data", "-U", "postgres", "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C")
        with open(self.folder + "/data/postgresql.conf", "a") as file:
            file.write(self.settings)
        self.start()
        self.sql("create database throng", database="postgres")

    @property
    def url(self):
        return f"host={self.folder} user=postgres dbname=throng"

    def run(self, program, *words):
        daemon.ran(os.path.join(self.programs, program), *words, cwd="/", user="postgres" if os.getuid() == 0 else None,
                   extra_groups=[] if os.getuid() == 0 else None)

    def start(self):
        self.run("pg_ctl", "-D", self.folder + "/data", "-w", "-t", "240", "-l", self.folder + "/log", "-o",
                 f"-k {self.folder} -c listen_addresses= -c max_connections=200", "start")

    def stop(self, how="fast"):
        self.run("pg_ctl", "-D", self.folder + "/data", "-w", "-m", how, "stop")

    def processes(self):
        """The ids of the postmaster and of its children."""
        postmaster = daemon.read(self.folder, "data", "postmaster.pid").split("\n")[0]
        return [int(postmaster), *daemon.children(postmaster)]

    def sql(self, query, database="throng"):
        return daemon.psql(query, "-h", self.folder, "-d", database)


class Member(daemon.Daemon):
    """One of them."""

    def __init__(self, fleet, name, **settings):
        super().__init__(fleet.plan, log="debug", **settings)
        self.fleet, self.name = fleet, name
        self.member_port = daemon.free_ports(1)[0]
        self.is_frozen = False
        # Where it looks for PostgreSQL; where that is unless something else is named.
        self.database = None

    def arguments(self):
        url = self.fleet.postgres.url
        if self.database:
            url = url.replace(self.fleet.postgres.folder, self.database)
        return super().arguments() + ["--database", url, "--members", f"127.0.0.1:{self.member_port}"]

    @property
    def id(self):
        """The name of its data directory."""
        return daemon.read(self.data, "daemon.id").split("\n")[1].strip().lower()

    def freeze(self):
        self.process.send_signal(signal.SIGSTOP)
        self.is_frozen = True

    def thaw(self):
        self.process.send_signal(signal.SIGCONT)
        self.is_frozen = False

    def clean(self):
        if self.process and self.is_frozen:
            self.thaw()
        super().clean()


class Fleet:
    """Daemons that count into one PostgreSQL."""

    def __init__(self, plan, names="abc", postgres=Postgres):
        self.plan = plan
        self.folder = tempfile.mkdtemp(prefix="tf-", dir="/tmp")
        os.chmod(self.folder, 0o755)
        atexit.register(self.clean)
        self.postgres = postgres(self.folder)
        self.members = {name: Member(self, name) for name in names}

    def clean(self):
        for member in self.members.values():
            member.clean()
        with contextlib.suppress(Failure):
            self.postgres.stop("immediate")
        shutil.rmtree(self.folder, ignore_errors=True)

    def __getitem__(self, name):
        return self.members[name]

    def add(self, name):
        self.members[name] = Member(self, name)
        return self.members[name].start()

    def daemon(self, *words, ends=0):
        """Runs `throng daemon`."""
        code, out, said = daemon.run("daemon", *words, "--database", self.postgres.url)
        check(code == ends, "throng daemon", *words, "ended with", code, "instead of", ends, out, said)
        return out + said

    def join(self, name, within=6):
        """Returns by when it counts its share. Unit: seconds since 1970."""
        # Where somebody agrees too late nothing has changed: a busy machine gets more time.
        for seconds in (within, 10 * within):
            code, out, said = daemon.run("daemon", "join", self[name].id, "--within", str(seconds), "--database", self.postgres.url)
            if code != 2:
                break
        check(code == 0, "throng daemon join ended with", code, out, said)
        return time.time() + seconds

    def map(self):
        """Who counts which slot, as a balancer reads it."""
        return self.daemon("list", "--map")

    def listed(self):
        return {line["daemon"]: line for line in json.loads(self.daemon("list", "--json"))}

    def drain(self, names=None, seconds=400):
        """Longer than the longest pause after a slow flush, which is five minutes."""
        for name in names or self.members:
            self[name].drain(seconds)

    def counted(self, metric="views", database="throng"):
        """Events that PostgreSQL has of a metric."""
        return int(self.postgres.sql("select coalesce(sum(value), 0) from throng.counter join throng.metric_layout using (metric_id)"
                                     f" where measure = 0 and metric = '{metric}'", database)[0][0])

    def devices(self, metric="views", database="throng"):
        """Distinct identifiers of a metric's leaf cells, by window; those of windows that were taken over under way apart."""
        rows = self.postgres.sql(
            "select window_number, sum(devices) from throng.distinct_count join throng.metric_layout using (metric_id)"
            f" where metric = '{metric}' and distinct_count.margin = (select max(distinct_count.margin) from throng.distinct_count join throng.metric_layout"
            f" using (metric_id) where metric = '{metric}') group by window_number", database)
        return {int(window): int(count) for window, count in rows}


class Clients:
    """Threads that post batches of many devices to any of several doors, each batch until it is acknowledged, sometimes twice."""

    def __init__(self, doors, rotation, seed, threads=6, devices=60, at=None):
        self.doors, self.rotation = doors, rotation
        # When events happened, in seconds since 1970; none is now.
        self.at = at
        self.devices, self.is_over, self.failure, self.lock = devices, False, None, threading.Lock()
        self.events = self.batches = 0
        self.retries = collections.Counter()
        self.seen = collections.defaultdict(set)
        # Of batches that nobody ever answered before their window was over: they may have been counted.
        self.unsure = []
        self.threads = [
            threading.Thread(target=self.work, args=(place, random.Random(f"{seed} {place}")), daemon=True) for place in range(threads)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, kind, *_):
        self.is_over = True
        for thread in self.threads:
            thread.join(200)
        if self.failure and kind is None:
            raise self.failure

    def work(self, place, chance):
        try:
            while not self.is_over and not self.failure:
                self.send(place, chance)
        except Exception as error:  # noqa: BLE001, whatever it is, the test fails by it
            self.failure = error

    def send(self, place, chance):
        window = int(time.time()) // self.rotation + chance.choice([0, 0, 0, 0, 0, -1, 1])
        identifier = f"{place}-{chance.randrange(self.devices)}-{window}"
        count = chance.randrange(1, 4)
        body = json.dumps({
            "app": "shop", "batch": "%032x" % chance.getrandbits(128), "purpose": "product", "window": window,
            "id": identifier, "context": {},
            "events": [{"event": "view", "at": daemon.instant(self.at),
                        "fields": {"channel": "email"}}] * count})
        answer = self.deliver(body, chance)
        if answer is None:
            with self.lock:
                self.unsure.append((count, window, identifier))
            return
        if answer is NEVER:
            return
        if chance.random() < 0.1:
            check(self.deliver(body, chance) in (answer, None, NEVER), "a repeated batch gets the same answer")
        check(answer["accepted"] == count, "all of it counts:", answer)
        with self.lock:
            self.events += count
            self.batches += 1
            self.seen[window].add(identifier)

    def possible(self):
        """Who may have been counted, by window."""
        known = collections.defaultdict(set, {window: set(who) for window, who in self.seen.items()})
        for _, window, identifier in self.unsure:
            known[window].add(identifier)
        return known

    def path(self, body):
        return "/v1/batches"

    def deliver(self, body, chance):
        """The answer; nil where the window was over before anybody answered."""
        deadline, is_first = time.monotonic() + 180, True
        while time.monotonic() < deadline:
            host, port = chance.choice(self.doors())
            connection = http.client.HTTPConnection(host, port, timeout=15)
            try:
                connection.request("POST", self.path(body), body, {"content-type": "application/json"})
                response = connection.getresponse()
                text = response.read()
                if response.status == 202:
                    return json.loads(text)
                if response.status == 422 and b"window_out_of_range" in text or response.status == 400 and b"window" in text:
                    return NEVER if is_first else None
                check(response.status in (502, 503, 504), "status", response.status, text)
                with self.lock:
                    self.retries[response.status] += 1
            except (OSError, http.client.HTTPException) as error:
                with self.lock:
                    self.retries[type(error).__name__] += 1
            finally:
                connection.close()
            is_first = False
            time.sleep(chance.uniform(0.02, 0.2))
        raise Failure("a batch was not acknowledged in three minutes")
