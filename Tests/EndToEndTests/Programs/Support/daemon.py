"""A `throng serve` of the test's own, on free loopback ports and a fresh data directory; stopped and removed at the end.

Only processes that were started here are ever stopped, each by its id."""

import atexit
import http.client
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from fresh_cluster import copy_cluster, has_cluster

# The test runner blocks signals on its threads, and children inherit that.
signal.pthread_sigmask(signal.SIG_SETMASK, [])

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "..", "..", "..", ".."))
SAMPLE = os.path.join(ROOT, "Deploy", "sample")
BINARY = os.environ.get("THRONG_BINARY") or os.path.join(ROOT, ".build", "look", "debug", "throng")


class Failure(Exception):
    """A claim does not hold."""


def check(holds, *words):
    if not holds:
        raise Failure(" ".join(str(word) for word in words))


def say(*words):
    print(f"[{time.monotonic() - STARTED:6.1f} s]", *words, flush=True)


STARTED = time.monotonic()


def until(holds, *words, seconds=60, pause=0.1):
    """What `holds` says as soon as that is something; where it never is, the words say what was waited for. A word that can be called
    is asked only then."""
    deadline = time.monotonic() + seconds
    while not (found := holds()):
        check(time.monotonic() < deadline, *(word() if callable(word) else word for word in words))
        time.sleep(pause)
    return found


def read(*path):
    """The text of a file."""
    return read_bytes(*path).decode()


def read_bytes(*path):
    with open(os.path.join(*path), "rb") as file:
        return file.read()


def write(path, text, mode=None):
    """Makes a file of a text, or of bytes, with the mode that it names; its path."""
    with open(path, "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode())
    if mode is not None:
        os.chmod(path, mode)
    return path


def temporary():
    """A folder into which others may look; it goes at the end."""
    folder = tempfile.mkdtemp(prefix="te-", dir="/tmp")
    os.chmod(folder, 0o755)
    atexit.register(shutil.rmtree, folder, True)
    return folder


def environment(noise=False, **more):
    """throng refuses to start with a THRONG_ variable that it does not know; tests have some of their own. Numbers are released
    without noise, so that programs can count, unless one asks for it."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("THRONG_")} | more
    faults = [*([] if noise else ["noise_off"]), *([kept["THRONG_FAULT"]] if "THRONG_FAULT" in kept else [])]
    return {**kept, "THRONG_FAULT": ",".join(faults)} if faults else kept


# One for each port that this process has chosen, for as long as it lives.
RESERVED = []


def reserve(port):
    """Whether no other test has chosen this port; its daemon may be down just now."""
    one = socket.socket(socket.AF_UNIX)
    try:
        one.bind(f"\0throng-test-port-{port}")
    except OSError:
        one.close()
        return False
    RESERVED.append(one)
    return True


def free_ports(count):
    """Ports that the kernel gives to no client on the way, and other tests do not choose, so that a daemon finds its own free again
    when it is restarted."""
    lowest = int(read("/proc/sys/net/ipv4/ip_local_port_range").split()[0])
    ports = []
    while len(ports) < count:
        port = random.randrange(10240, lowest) if lowest > 11264 else 0
        with socket.socket() as one:
            # As a server does it: what is only waiting for the end of an old connection is free.
            one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                one.bind(("127.0.0.1", port))
            except OSError:
                continue
            port = one.getsockname()[1]
        if reserve(port):
            ports.append(port)
    return ports


def ran(*command, ends=0, seconds=600, **how):
    """A program that ran to its end, which has to be so; what it said are its `stdout` and `stderr`."""
    done = subprocess.run(command, **{"capture_output": True, "text": True, "timeout": seconds, "env": environment(), **how})
    check(done.returncode == ends, *command, "ended with", done.returncode, done.stdout[-3000:], done.stderr[-3000:])
    return done


def end(process, seconds):
    """SIGTERM to a process that may have ended or never begun; kill -9 after so many seconds."""
    if process and process.poll() is None:
        process.terminate()
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def run(*arguments, stdin=None, seconds=600, variables=None):
    """Runs a throng command to its end: exit code, standard output, standard error."""
    done = subprocess.run(
        [BINARY, *arguments], input=stdin, capture_output=True, text=True, timeout=seconds, env=environment(**variables or {}))
    return done.returncode, done.stdout, done.stderr


def fetch(port, method, path, body=None, headers={}, source=None, seconds=30):
    """Status, headers in lower case, and body of the answer to a request of its own connection."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=seconds, source_address=(source, 0) if source else None)
    try:
        connection.request(method, path, body.encode() if isinstance(body, str) else body, headers)
        response = connection.getresponse()
        return response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()
    finally:
        connection.close()


def psql(query, *where):
    """What PostgreSQL answers to its superuser: rows as lists of text; null is None."""
    done = ran(
        "psql", "-X", "-q", "-A", "-t", "-F", "\x1f", "-P", "null=\x1e", "-v", "ON_ERROR_STOP=1", "-U", "postgres", *where, "-c", query)
    return [[None if value == "\x1e" else value for value in line.split("\x1f")] for line in done.stdout.split("\n") if line]


def children(pid):
    return map(int, subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True).stdout.split())


def seconds_left(rotation):
    return rotation - time.time() % rotation


def rotation_with_time_left(candidates, needed=2400):
    """The first of these lengths, in seconds, whose current window goes on long enough for the test."""
    for rotation in candidates:
        if seconds_left(rotation) > needed:
            return rotation
    raise Failure("no rotation among", candidates, "leaves", needed, "seconds; start the test again")


def hour_with_time_left(needed=300):
    """When the current hour began, which goes on for so many seconds; where it does not, the next one is waited for."""
    if seconds_left(3600) < needed:
        say("it waits for the next hour")
        time.sleep(seconds_left(3600) + 1)
    return int(time.time()) // 3600 * 3600


def duration(seconds):
    """Seconds as a plan writes them."""
    for unit, length in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds % length == 0:
            return f"{seconds // length} {unit}{'' if seconds == length else 's'}"
    raise Failure(seconds, "seconds are no whole minutes")


def instant(at=None):
    """A Unix time as events write it; without one, now."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))


def expiry(days=200):
    """A date that lies so far ahead."""
    return time.strftime("%Y-%m-%d", time.gmtime(time.time() + days * 86400))


def files(folder, but=()):
    """Path and contents of each file below a folder, but for folders of some names; one that goes meanwhile is left out."""
    for where, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in but]
        for path in (os.path.join(where, name) for name in names):
            try:
                if os.path.isfile(path):
                    yield path, read_bytes(path)
            except FileNotFoundError:
                continue


class Daemon:
    # Whether its first start finds a cluster that initdb made before.
    is_furnished = True
    # The port of its pages, where it has some; a MovingClock, where it does not go by the machine's.
    portal_port = clock = None

    def __init__(self, plan_text, name="shop", log="info", **settings):
        self.folder = tempfile.mkdtemp(prefix="te-", dir="/tmp")
        os.chmod(self.folder, 0o755)
        self.plan = write(os.path.join(self.folder, name + ".yaml"), plan_text)
        # All that it counts by.
        self.plans = [self.plan]
        self.data = os.path.join(self.folder, "data")
        self.log_path = os.path.join(self.folder, "daemon.log")
        self.log, self.settings, self.process = log, settings, None
        self.port, self.metrics_port = free_ports(2)
        atexit.register(self.clean)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))

    # Start and stop

    def arguments(self):
        return [BINARY, "serve", *self.named_plans(), "--data", self.data, "--listen", f"127.0.0.1:{self.port}",
                "--metrics", f"127.0.0.1:{self.metrics_port}", "--log", self.log,
                *(["--portal", f"127.0.0.1:{self.portal_port}"] if self.portal_port else []),
                *(["--made-up"] if os.path.exists(self.data + "/made-up") else [])]

    def named_plans(self):
        return [word for path in self.plans for word in ("--plan", path)]

    def furnish(self):
        root = self.data + "/postgres"
        if os.path.exists(self.data + "/daemon.id") or os.path.exists(root) or "--database" in self.arguments() or not has_cluster():
            return
        os.makedirs(root, 0o700)
        shutil.chown(root, "postgres", "postgres")
        copy_cluster(root + "/data")

    def launch(self, **more):
        """Starts it, and does not wait until it is ready."""
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                self.arguments(), stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment(**{**self.settings, **more}))

    def start(self, seconds=600):
        if self.is_furnished:
            self.furnish()
        self.launch()

        def is_ready():
            check(self.process.poll() is None, "throng serve ended with", self.process.poll(), "\n" + self.log_text()[-3000:])
            return self.answers("/readyz")
        until(is_ready, "throng serve was not ready in time\n", lambda: self.log_text()[-3000:], seconds=seconds, pause=0.05)
        return self

    def kill(self):
        """kill -9."""
        self.process.kill()
        self.process.wait()

    def stop(self, seconds=300):
        """SIGTERM; the exit code."""
        self.process.terminate()
        return self.process.wait(seconds)

    def clean(self):
        end(self.process, 30)
        pid = self.postgres_pid()
        if pid:
            os.kill(pid, signal.SIGQUIT)
            deadline = time.monotonic() + 120
            while self.postgres_pid() and time.monotonic() < deadline:
                time.sleep(0.1)
        if os.environ.get("THRONG_TEST_KEEP"):
            say("kept", self.folder)
        else:
            shutil.rmtree(self.folder, ignore_errors=True)

    def add_plan(self, text, name):
        """One more; its file."""
        self.plans.append(write(os.path.join(self.folder, name + ".yaml"), text))
        return self.plans[-1]

    def command(self, *words, ends=0, **more):
        """A throng command at its time, which has to end so; what it said, on standard output first."""
        code, out, talk = run(*words, variables={**(self.clock.variables if self.clock else {}), **more})
        check(code == ends, *words, "ended with", code, out[-3000:], talk[-3000:])
        return out + talk

    def release(self, *words):
        """By hand, of all that is over; what it said."""
        return self.command("release", "--ignore-grace", *self.named_plans(), "--data", self.data, *words)

    # PostgreSQL

    def postgres_pid(self):
        """The private postmaster's id, if it is alive and really works in our data directory."""
        try:
            pid = int(read(self.data, "postgres/data/postmaster.pid").split("\n")[0])
            if read(f"/proc/{pid}/stat").rsplit(")", 1)[1].split()[0] == "Z":
                return None
            inside = os.path.realpath(os.path.join(self.data, "postgres/data"))
            return pid if os.readlink(f"/proc/{pid}/cwd") == inside else None
        except (OSError, ValueError, IndexError):
            return None

    def sql(self, query, database="throng"):
        return psql(query, "-h", self.data + "/postgres", "-d", database)

    def dump(self, database="throng"):
        """All that a database has, as text. What age takes meanwhile is missed by pg_dump: it is asked once more."""
        def ask():
            done = subprocess.run(["pg_dump", "-h", self.data + "/postgres", "-U", "postgres", database], capture_output=True, timeout=600)
            check(done.returncode == 0 or b"does not exist" in done.stderr, "pg_dump:", done.stderr)
            return done.returncode == 0 and done.stdout
        return until(ask, "age takes something again and again").decode(errors="replace")

    # HTTP

    def connect(self, seconds=30):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=seconds)

    def exchange(self, method, path, body=None, headers={}, source=None, port=None):
        return fetch(port or self.port, method, path, body, headers, source)

    def get(self, path, headers={}, port=None):
        return self.exchange("GET", path, None, headers, port=port)

    def post(self, body, headers={}, source=None, path="/v1/batches", port=None):
        return self.exchange("POST", path, body, {"content-type": "application/json", **headers}, source, port)

    def answers(self, path, port=None):
        """Whether somebody is there, and answers so that it is well."""
        try:
            return self.get(path, port=port)[0] in (200, 303)
        except (OSError, http.client.HTTPException):
            return False

    def take(self, body, headers={}, **how):
        """Posts a batch of which every event is counted; the answer."""
        status, _, text = self.post(json.dumps(body), headers, **how)
        answer = json.loads(text)
        check(status == 202 and answer["refused"] == [], "a batch was answered with", status, answer)
        return answer

    def metrics(self):
        """Every sample by its name with its labels."""
        text = self.get("/metrics", port=self.metrics_port)[2].decode()
        return {match[1]: float(match[2]) for match in re.finditer(r"^([a-z_]+(?:\{[^}]*\})?) (\S+)$", text, re.MULTILINE)}

    def drain(self, seconds=400):
        """Returns once PostgreSQL has everything that was acknowledged; a daemon of several may rest for minutes before."""
        until(lambda: self.metrics()["throng_journal_lag_batches"] == 0, "PostgreSQL did not catch up\n",
              lambda: self.log_text()[-3000:], seconds=seconds)

    def said(self, words, seconds=20, times=1):
        """Waits until the log has said something so often, while it lives."""
        def is_told():
            check(self.process.poll() is None, "it ended with", self.process.poll(), self.log_text()[-2000:])
            return self.log_text().count(words) >= times
        until(is_told, "the log does not say:", words, lambda: self.log_text()[-2000:], seconds=seconds, pause=0.05)

    def log_text(self):
        return read_bytes(self.log_path).decode(errors="replace")


def main(test):
    """Runs a test program: exit code 0 if its claims hold."""
    try:
        test()
    except Failure as failure:
        print(f"FAILED: {failure}", flush=True)
        sys.exit(1)
    say("holds")
