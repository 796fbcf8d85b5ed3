"""The servers that benchmarks measure: each in a folder of its own, on 127.0.0.1, stopped at the end."""

import atexit
import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request

from common import EATMYDATA, Settings, event_names, free_port, lines

TICKS = os.sysconf("SC_CLK_TCK")

# Who stops a benchmark stops its servers.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))

class Contender:
    """A server process in a folder of its own."""

    def __init__(self, folder):
        self.folder = folder
        os.makedirs(folder)
        self.port = free_port()
        self.process = None

    def spawn(self, *command, **options):
        log = open(os.path.join(self.folder, "log"), "ab")
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, **options)
        # Whatever fails from here on, nothing stays behind.
        atexit.register(self.stop)
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                sys.exit(f"{command[0]} ended:\n" + open(log.name).read()[-2000:])
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                if self.is_ready():
                    return
            time.sleep(0.01)
        sys.exit(f"{command[0]} did not start:\n" + open(log.name).read()[-2000:])

    def is_ready(self):
        return True

    def kill(self):
        """kill -9."""
        self.process.kill()
        self.process.wait()

    def stop(self):
        if self.process is None or self.process.poll() is not None:
            return
        self.process.terminate()
        try:
            self.process.wait(120)
        except subprocess.TimeoutExpired:
            self.process.kill()

    def settle(self):
        """Waits until a round's work is done."""


class Nginx(Contender):
    """Reads the body and answers 204."""

    def start(self):
        path = os.path.join(self.folder, "nginx.conf")
        with open(path, "w") as file:
            file.write(
                f"daemon off; user root; pid {self.folder}/pid; error_log stderr; worker_processes 1;\n"
                "events { worker_connections 20000; }\n"
                "http { access_log off; client_max_body_size 8m; client_body_buffer_size 1m; keepalive_requests 1000000000;\n"
                f"client_body_temp_path {self.folder}/body; proxy_temp_path {self.folder}/proxy;\n"
                f"fastcgi_temp_path {self.folder}/fast; uwsgi_temp_path {self.folder}/u; scgi_temp_path {self.folder}/s;\n"
                f"server {{ listen 127.0.0.1:{self.port}; location / {{ return 204; }} }} }}\n")
        self.spawn("nginx", "-c", path, "-p", self.folder)


class VictoriaMetrics(Contender):
    """Takes lines; acknowledges from memory."""

    def start(self):
        self.spawn(
            "victoria-metrics", f"-httpListenAddr=127.0.0.1:{self.port}", f"-storageDataPath={self.folder}/data",
            "-retentionPeriod=1")


class Throng(Contender):
    """The daemon, with a private PostgreSQL that it flushes to, or with none at all."""

    def __init__(self, folder, binary, *plans, durable=True, data=None, database=None, **settings):
        super().__init__(folder)
        self.binary, self.plans = binary, plans
        self.metrics_port = free_port()
        self.data = data or os.path.join(folder, "data")
        self.database = database
        self.options = []
        # Syncing off: every fsync and fdatasync returns at once, in PostgreSQL too.
        self.settings = settings if durable else {**settings, "LD_PRELOAD": EATMYDATA}
        if "--smoke" in sys.argv:
            # A debug build's flush of many counters is slow, and PostgreSQL's rest after it long.
            self.settings = {**self.settings, "THRONG_TEST_FLUSH_MOST_SECONDS": "1"}

    def start(self):
        started = time.monotonic()
        self.spawn(
            self.binary, "serve", *(part for plan in self.plans for part in ("--plan", plan)), "--data", self.data,
            "--listen", f"127.0.0.1:{self.port}", "--metrics", f"127.0.0.1:{self.metrics_port}",
            *(["--database", self.database] if self.database else []), *self.options, env={**os.environ, **self.settings})
        took = time.monotonic() - started
        with open(f"/proc/{self.process.pid}/maps") as file:
            if (EATMYDATA in file.read()) != ("LD_PRELOAD" in self.settings):
                sys.exit(f"{EATMYDATA} was not loaded: apt-get install libeatmydata1")
        return took

    def bench(self, plan, *options, core=None):
        """What `throng bench` found. The generator stands for clients on other machines, so it does not wait its turn, and has a core
        of its own where one is named."""
        ahead = ["nice", "-n", "-10"] if os.geteuid() == 0 else []
        ahead += ["taskset", "--cpu-list", str(core)] if core is not None else []
        return lines(
            *ahead, self.binary, "bench", "--to", f"http://127.0.0.1:{self.port}", "--plan", plan, *Settings.devices,
            "--warm-up", str(Settings.warm_up), "--json", *map(str, options), whole=True)

    def memory(self):
        """Bytes of the daemon in memory: now, and at most so far."""
        with open(f"/proc/{self.process.pid}/status") as file:
            found = dict(re.findall(r"^(VmRSS|VmHWM):\s+(\d+) kB$", file.read(), re.MULTILINE))
        return int(found["VmRSS"]) * 1024, int(found["VmHWM"]) * 1024

    def is_ready(self):
        with contextlib.suppress(OSError):
            return urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=5).status == 200
        return False

    def metrics(self):
        text = urllib.request.urlopen(f"http://127.0.0.1:{self.metrics_port}/metrics", timeout=30).read().decode()
        return {match[1]: float(match[2]) for match in re.finditer(r"^([a-z_]+(?:\{[^}]*\})?) (\S+)$", text, re.MULTILINE)}

    def settle(self):
        while self.metrics()["throng_journal_lag_batches"] > 0:
            time.sleep(0.2)

    def postgres(self):
        with open(os.path.join(self.data, "postgres/data/postmaster.pid")) as file:
            return int(file.readline())

    def cpu(self):
        """Seconds of the daemon and of its PostgreSQL."""
        # The clock of another process, to the nanosecond: see clock_getcpuclockid(3).
        own = time.clock_gettime(~self.process.pid << 3 | 2)
        return own, 0 if self.database else sum(seconds(each) for each in family(self.postgres()))


def seconds(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
    except FileNotFoundError:
        return 0
    # Own, and of children that have ended.
    return sum(map(int, fields[11:15])) / TICKS


def family(pid):
    found = [pid]
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError), open(f"/proc/{name}/stat") as file:
                if int(file.read().rpartition(")")[2].split()[1]) == pid:
                    found.append(int(name))
    return found


class Postgres:
    """One row an event, as people do it; and COPY of raw rows, as fast as it goes."""

    def __init__(self, throng, folder):
        self.socket = os.path.join(throng.data, "postgres/socket")
        self.folder = folder
        os.makedirs(folder)

    def psql(self, *arguments, stdin=None):
        done = subprocess.run(
            ["psql", "-h", self.socket_folder(), "-U", "postgres", "-d", "throng", "-X", "-q", "-v", "ON_ERROR_STOP=1",
             *arguments], input=stdin, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(done.stderr)
        return done.stdout

    def socket_folder(self):
        for folder, _, names in os.walk(os.path.dirname(self.socket)):
            if ".s.PGSQL.5432" in names:
                return folder
        sys.exit("the private PostgreSQL has no socket")

    def prepare(self, plan, choice):
        self.psql("-c", "create schema bench; create table bench.event (at timestamptz, id text, event text, os text,"
                  " browser text, screen text, memory text)")
        script = os.path.join(self.folder, "insert.sql")
        with open(script, "w") as file:
            file.write(
                "\\set n random(1, 1000000)\n"
                "insert into bench.event values (now(), 'id' || :n, 'product_view', 'iOS', 'Safari', '390x844', '4');\n")
        self.script = script
        names = event_names(plan)
        self.rows = "".join(
            f"2026-03-02 12:00:00+00\tid{choice.randrange(10**9)}\t{choice.choice(names)}\tiOS\tSafari\t390x844\t4\n"
            for _ in range(200_000))

    def inserts(self, duration):
        """Events a second, 8 clients, one INSERT each, durable."""
        output = subprocess.run(
            ["pgbench", "-h", self.socket_folder(), "-U", "postgres", "-n", "-c", "8", "-j", "2", "-T", str(duration), "-f",
             self.script, "throng"], capture_output=True, text=True, check=True).stdout
        self.psql("-c", "truncate bench.event")
        return float(re.search(r"tps = ([\d.]+)", output)[1])

    def copies(self):
        """Events a second in one COPY."""
        start = time.monotonic()
        self.psql("-c", "copy bench.event from stdin", stdin=self.rows)
        took = time.monotonic() - start
        self.psql("-c", "truncate bench.event")
        return 200_000 / took
