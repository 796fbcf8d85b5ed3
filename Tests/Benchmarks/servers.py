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

import daemon
from common import EATMYDATA, Settings, lines

TICKS = os.sysconf("SC_CLK_TCK")

# Who stops a benchmark stops its servers.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))


class Contender:
    """A server process in a folder of its own."""

    def __init__(self, folder):
        self.folder = folder
        os.makedirs(folder)
        (self.port,) = daemon.free_ports(1)
        self.process = None

    def spawn(self, *command, **options):
        log = open(os.path.join(self.folder, "log"), "ab")
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, **options)
        # Whatever fails from here on, nothing stays behind.
        atexit.register(daemon.end, self.process, 120)

        def is_there():
            daemon.check(self.process.poll() is None, command[0], "ended:\n", daemon.read(log.name)[-2000:])
            with contextlib.suppress(OSError):
                return socket.create_connection(("127.0.0.1", self.port), 1)
        daemon.until(is_there, command[0], "did not start:\n", lambda: daemon.read(log.name)[-2000:], seconds=120, pause=0.01).close()


    def cpu(self):
        """Seconds of it and its children."""
        return (sum(map(seconds, family(self.process.pid))),)

    def drain(self):
        """Nothing waits behind its answers that anybody could wait for."""


class Nginx(Contender):
    """Reads the body and answers 204."""

    def start(self):
        path = os.path.join(self.folder, "nginx.conf")
        daemon.write(path, f"daemon off; user root; pid {self.folder}/pid; error_log stderr; worker_processes 1;\n"
            "events { worker_connections 20000; }\n"
            "http { access_log off; client_max_body_size 8m; client_body_buffer_size 1m; keepalive_requests 1000000000;\n"
            f"client_body_temp_path {self.folder}/body; proxy_temp_path {self.folder}/proxy;\n"
            f"fastcgi_temp_path {self.folder}/fast; uwsgi_temp_path {self.folder}/u; scgi_temp_path {self.folder}/s;\n"
            f"server {{ listen 127.0.0.1:{self.port}; location / {{ return 204; }} }} }}\n")
        self.spawn("nginx", "-c", path, "-p", self.folder)


class VictoriaMetrics(Contender):
    """Takes lines; acknowledges from memory."""

    def start(self):
        self.spawn("victoria-metrics", f"-httpListenAddr=127.0.0.1:{self.port}", f"-storageDataPath={self.folder}/data",
                   "-retentionPeriod=1")


class Measured(daemon.Daemon):
    """A daemon, what it spends, and `throng bench` before it."""

    def bench(self, plan, *options, core=None):
        """What `throng bench` found. The generator stands for clients on other machines, so it does not wait its turn, and has a core
        of its own where one is named."""
        ahead = ["nice", "-n", "-10"] if os.geteuid() == 0 else []
        ahead += ["taskset", "--cpu-list", str(core)] if core is not None else []
        return lines(*ahead, daemon.BINARY, "bench", "--to", f"http://127.0.0.1:{self.port}", "--plan", plan, *Settings.devices,
                     "--warm-up", str(Settings.warm_up), "--json", *map(str, options), whole=True)

    def memory(self):
        """Bytes of the daemon in memory: now, and at most so far."""
        found = dict(re.findall(r"^(VmRSS|VmHWM):\s+(\d+) kB$", daemon.read(f"/proc/{self.process.pid}/status"), re.MULTILINE))
        return int(found["VmRSS"]) * 1024, int(found["VmHWM"]) * 1024

    def own_cpu(self):
        """Seconds, to the nanosecond: see clock_getcpuclockid(3)."""
        return time.clock_gettime(~self.process.pid << 3 | 2)


class Throng(Measured):
    """The daemon, with a private PostgreSQL that it flushes to, or with another one."""

    def __init__(self, *plans, durable=True, data=None, database=None, **settings):
        super().__init__("", noise=True, **settings)
        self.plans = list(plans)
        self.data = data or self.data
        self.database = database
        if not durable:
            # Syncing off: every fsync and fdatasync returns at once, in PostgreSQL too.
            self.settings["LD_PRELOAD"] = EATMYDATA
        if "--smoke" in sys.argv:
            # A debug build's flush of many counters is slow, and PostgreSQL's rest after it long.
            self.settings["THRONG_TEST_FLUSH_MOST_SECONDS"] = "1"

    def arguments(self):
        return [*super().arguments(), *(["--database", self.database] if self.database else [])]

    def start(self):
        """How long it took. Unit: seconds."""
        started = time.monotonic()
        super().start()
        took = time.monotonic() - started
        if (EATMYDATA in daemon.read(f"/proc/{self.process.pid}/maps")) != ("LD_PRELOAD" in self.settings):
            sys.exit(f"{EATMYDATA} was not loaded: apt-get install libeatmydata1")
        return took

    def cpu(self):
        """Seconds of the daemon and of its PostgreSQL."""
        return self.own_cpu(), 0 if self.database else sum(map(seconds, family(self.postgres_pid())))


def seconds(pid):
    try:
        fields = daemon.read(f"/proc/{pid}/stat").rpartition(")")[2].split()
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
    """One row an event, as people do it."""

    def __init__(self, throng, folder):
        self.throng, self.folder = throng, folder
        self.where = ("-h", throng.data + "/postgres", "-U", "postgres")
        os.makedirs(folder)

    def prepare(self):
        self.throng.sql("create schema bench; create table bench.event (at timestamptz, id text, event text, os text,"
                        " browser text, screen text, memory text)")
        self.script = daemon.write(os.path.join(self.folder, "insert.sql"), "\\set n random(1, 1000000)\n"
            "insert into bench.event values (now(), 'id' || :n, 'product_view', 'iOS', 'Safari', '390x844', '4');\n")

    def inserts(self, duration):
        """Events a second, 8 clients, one INSERT each, durable."""
        output = daemon.ran("pgbench", *self.where, "-n", "-c", "8", "-j", "2", "-T", str(duration),
                            "-f", self.script, "throng").stdout
        self.throng.sql("truncate bench.event")
        return float(re.search(r"tps = ([\d.]+)", output)[1])
