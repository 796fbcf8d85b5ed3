"""A `throng serve` of the test's own, on free loopback ports and a fresh data directory; stopped and removed at the end.

Only processes that were started here are ever stopped, each by its id.
"""

import atexit
import glob
import http.client
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


def environment(noise=False, **more):
    """throng refuses to start with a THRONG_ variable that it does not know; tests have some of their own.

    Numbers are released without noise, so that programs can count, unless one asks for it."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("THRONG_")}
    kept.update(more)
    faults = [] if noise else ["noise_off"]
    if "THRONG_FAULT" in kept:
        faults.append(kept["THRONG_FAULT"])
    if faults:
        kept["THRONG_FAULT"] = ",".join(faults)
    return kept


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
    with open("/proc/sys/net/ipv4/ip_local_port_range") as file:
        lowest = int(file.read().split()[0])
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


def run(*arguments, stdin=None, seconds=600, variables=None):
    """Runs a throng command to its end: exit code, standard output, standard error."""
    done = subprocess.run(
        [BINARY, *arguments], input=stdin, capture_output=True, text=True, timeout=seconds, env=environment(**variables or {}))
    return done.returncode, done.stdout, done.stderr


def library(source, folder):
    """The path of a small C library, to be put before the C library's by LD_PRELOAD."""
    path = os.path.join(folder, os.path.basename(source)[:-2] + ".so")
    compiler = shutil.which("clang") or shutil.which("cc")
    check(compiler, "there is no C compiler")
    done = subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", path, source], capture_output=True, text=True)
    check(done.returncode == 0, done.stderr)
    return path


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


# A cluster that nothing was done with yet.
CLUSTER = os.path.join(ROOT, ".build", "test-cluster")


def has_cluster():
    """Makes it once, as `throng serve` would: initdb takes seconds, and programs start hundreds of daemons."""
    if os.path.isdir(CLUSTER):
        return True
    programs = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"), key=lambda path: int(path.split("/")[-3]))
    if not programs or os.getuid() != 0:
        return False
    os.makedirs(os.path.dirname(CLUSTER), exist_ok=True)
    folder = tempfile.mkdtemp(prefix="te-cluster-", dir="/tmp")
    shutil.chown(folder, "postgres", "postgres")
    subprocess.run(
        ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--", programs[-1], "-D", folder + "/data", "-U",
         "postgres", "--encoding=UTF8", "--locale=C", "--data-checksums", "--auth=trust", "--no-instructions", "--no-sync"],
        check=True, cwd="/", stdout=subprocess.DEVNULL)
    # Whoever else makes one at this moment may be the first.
    copy = tempfile.mkdtemp(prefix="test-cluster-", dir=os.path.dirname(CLUSTER))
    subprocess.run(["cp", "-a", folder + "/data", copy], check=True)
    try:
        os.rename(copy, CLUSTER)
    except OSError:
        shutil.rmtree(copy)
    shutil.rmtree(folder)
    return True


def copy_cluster(path):
    """Where it is to be, or into an empty folder there."""
    subprocess.run(["cp", "-a", "-T", CLUSTER + "/data", path], check=True)


class Daemon:
    # Whether its first start finds a cluster that initdb made before.
    is_furnished = True
    # Of its pages, where it has some.
    portal_port = None

    def __init__(self, plan_text, name="shop", log="info", **settings):
        self.folder = tempfile.mkdtemp(prefix="te-", dir="/tmp")
        os.chmod(self.folder, 0o755)
        self.plan = os.path.join(self.folder, name + ".yaml")
        with open(self.plan, "w") as file:
            file.write(plan_text)
        self.data = os.path.join(self.folder, "data")
        self.log_path = os.path.join(self.folder, "daemon.log")
        self.log = log
        self.settings = settings
        self.port, self.metrics_port = free_ports(2)
        self.process = None
        atexit.register(self.clean)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))

    # Start and stop

    def arguments(self):
        return [
            BINARY, "serve", "--plan", self.plan, "--data", self.data, "--listen", f"127.0.0.1:{self.port}",
            "--metrics", f"127.0.0.1:{self.metrics_port}", "--log", self.log,
            *(["--portal", f"127.0.0.1:{self.portal_port}"] if self.portal_port else [])]

    def furnish(self):
        root = self.data + "/postgres"
        if os.path.exists(self.data + "/daemon.id") or os.path.exists(root) or "--database" in self.arguments() or not has_cluster():
            return
        os.makedirs(root, 0o700)
        shutil.chown(root, "postgres", "postgres")
        copy_cluster(root + "/data")

    def start(self, seconds=600):
        if self.is_furnished:
            self.furnish()
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                self.arguments(), stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment(**self.settings))
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise Failure("throng serve ended with", self.process.returncode, "\n" + self.log_text()[-3000:])
            try:
                if self.get("/readyz")[0] == 200:
                    return self
            except OSError:
                pass
            time.sleep(0.05)
        raise Failure("throng serve was not ready in time\n" + self.log_text()[-3000:])

    def kill(self):
        """kill -9."""
        self.process.kill()
        self.process.wait()

    def stop(self, seconds=300):
        """SIGTERM; the exit code."""
        self.process.terminate()
        return self.process.wait(seconds)

    def clean(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.kill()
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

    # PostgreSQL

    def postgres_pid(self):
        """The private postmaster's id, if it is alive and really works in our data directory."""
        try:
            with open(os.path.join(self.data, "postgres/data/postmaster.pid")) as file:
                pid = int(file.readline())
            with open(f"/proc/{pid}/stat") as file:
                if file.read().rsplit(")", 1)[1].split()[0] == "Z":
                    return None
            inside = os.path.realpath(os.path.join(self.data, "postgres/data"))
            return pid if os.readlink(f"/proc/{pid}/cwd") == inside else None
        except (OSError, ValueError, IndexError):
            return None

    def sql(self, query, database="throng"):
        """Rows as lists of text; null is None."""
        done = subprocess.run(
            ["psql", "-X", "-q", "-A", "-t", "-F", "\x1f", "-P", "null=\x1e", "-v", "ON_ERROR_STOP=1", "-h",
             self.data + "/postgres", "-U", "postgres", "-d", database, "-c", query],
            capture_output=True, text=True, timeout=600)
        check(done.returncode == 0, "psql:", done.stderr)
        return [
            [None if value == "\x1e" else value for value in line.split("\x1f")]
            for line in done.stdout.split("\n") if line]

    # HTTP

    def connect(self, source=None, seconds=30, port=None):
        return http.client.HTTPConnection(
            "127.0.0.1", port or self.port, timeout=seconds, source_address=(source, 0) if source else None)

    def get(self, path, headers={}, port=None):
        connection = http.client.HTTPConnection("127.0.0.1", port or self.port, timeout=30)
        try:
            connection.request("GET", path, headers=headers)
            response = connection.getresponse()
            return response.status, dict(response.getheaders()), response.read()
        finally:
            connection.close()

    def post(self, body, headers={}, source=None, path="/v1/batches", port=None):
        """Status, headers and body of a POST."""
        connection = self.connect(source, port=port)
        try:
            if isinstance(body, str):
                body = body.encode()
            connection.request("POST", path, body, {"content-type": "application/json", **headers})
            response = connection.getresponse()
            return response.status, {k.lower(): v for k, v in response.getheaders()}, response.read()
        finally:
            connection.close()

    def metrics(self):
        """Every sample by its name with its labels."""
        text = self.get("/metrics", port=self.metrics_port)[2].decode()
        return {
            match[1]: float(match[2])
            for match in re.finditer(r"^([a-z_]+(?:\{[^}]*\})?) (\S+)$", text, re.MULTILINE)}

    def drain(self, seconds=400):
        """Returns once PostgreSQL has everything that was acknowledged; a daemon of several may rest for minutes before."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if self.metrics()["throng_journal_lag_batches"] == 0:
                return
            time.sleep(0.1)
        raise Failure("PostgreSQL did not catch up\n" + self.log_text()[-3000:])

    def log_text(self):
        with open(self.log_path, errors="replace") as file:
            return file.read()


def main(test):
    """Runs a test program: exit code 0 if its claims hold."""
    try:
        test()
    except Failure as failure:
        print(f"FAILED: {failure}", flush=True)
        sys.exit(1)
    say("holds")
