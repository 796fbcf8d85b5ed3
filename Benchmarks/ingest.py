"""How fast a daemon takes batches, beside servers that people know, on the same machine, in the same run.

Every contender answers the same bodies from the same load generator (wrk) in turn; what counts is the ratio of medians over
the rounds. All of it listens on 127.0.0.1, lives in one temporary folder, and stops by itself."""

import argparse
import contextlib
import csv
import gzip
import json
import os
import pwd
import random
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
TICKS = os.sysconf("SC_CLK_TCK")


def say(*words):
    print(f"[{time.strftime('%H:%M:%S')}]", *words, file=sys.stderr, flush=True)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


# What is sent

def devices():
    with gzip.open(os.path.join(ROOT, "Deploy/sample/devices.ndjson.gz"), "rt") as file:
        return [json.loads(line) for line in file]


def event_names(plan):
    allowed = set(re.search(r"events: \[([^]]*)\]", plan)[1].replace(",", " ").split())
    with gzip.open(os.path.join(ROOT, "Deploy/sample/shop.csv.gz"), "rt", newline="") as file:
        return [row["event"] for row in csv.DictReader(file) if row["event"] in allowed]


def context(device):
    found = {"user_agent": device["user_agent"], "screen": f"{device['screen_width']}x{device['screen_height']}"}
    if device["device_memory_gb"] is not None:
        found["memory_gb"] = device["device_memory_gb"]
    return found


def write_bodies(folder, plan, size, number, choice):
    """Our batches, without what makes each its own; and the same events in InfluxDB's line protocol."""
    crowd, names = devices(), event_names(plan)
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 60))
    ours, lines = os.path.join(folder, f"batches-{size}"), os.path.join(folder, f"lines-{size}")
    with open(ours, "w") as batches, open(lines, "w") as points:
        for _ in range(number):
            device = choice.choice(crowd)
            first = choice.randrange(len(names) - size)
            events = names[first:first + size]
            document = {"context": context(device), "events": [{"event": event, "at": at} for event in events]}
            batches.write(json.dumps(document, separators=(",", ":"))[1:] + "\n")
            # Tags that tell as much as our buckets do; whole user agents as tags would make a series of each device.
            agent = device["user_agent"]
            system = re.search(r"Windows|Android|iPhone|Mac OS X|Linux|CrOS", agent)
            browser = re.search(r"Firefox|Edg|OPR|SamsungBrowser|Chrome|Safari", agent)
            tags = (f"os={system[0].replace(' ', '_') if system else 'other'},browser={browser[0] if browser else 'other'},"
                    f"screen={device['screen_width'] // 400},memory={device['device_memory_gb'] or 'none'}")
            points.write("\t".join(f"events,page={event},{tags} value=1" for event in events) + "\n")
    return ours, lines


# Contenders

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
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                sys.exit(f"{command[0]} ended:\n" + open(log.name).read()[-2000:])
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                if self.is_ready():
                    return
            time.sleep(0.1)
        sys.exit(f"{command[0]} did not start:\n" + open(log.name).read()[-2000:])

    def is_ready(self):
        return True

    def stop(self):
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
    """The daemon, with a private PostgreSQL that it flushes to."""

    def __init__(self, folder, binary, plan, durable=True):
        super().__init__(folder)
        self.binary, self.plan = binary, plan
        self.metrics_port = free_port()
        self.settings = {} if durable else {"THRONG_JOURNAL_SYNC": "never"}

    def start(self):
        self.spawn(
            self.binary, "serve", "--plan", self.plan, "--data", os.path.join(self.folder, "data"), "--listen",
            f"127.0.0.1:{self.port}", "--metrics", f"127.0.0.1:{self.metrics_port}",
            env={**os.environ, **self.settings})

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
        with open(os.path.join(self.folder, "data/postgres/data/postmaster.pid")) as file:
            return int(file.readline())

    def cpu(self):
        """Seconds of the daemon and of its PostgreSQL."""
        return seconds(self.process.pid), sum(seconds(each) for each in family(self.postgres()))


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
        self.socket = os.path.join(throng.folder, "data/postgres/socket")
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


# Rounds

class Load:
    """wrk with prepared bodies."""

    def __init__(self, connections, duration):
        self.connections, self.duration, self.seed = connections, duration, 0

    def run(self, port, path, bodies, window=None):
        self.seed += 1
        settings = {**os.environ, "BENCH_PATH": path, "BENCH_SEED": str(self.seed), "BENCH_BODIES": bodies}
        if window is not None:
            settings["BENCH_WINDOW"] = str(window)
        done = subprocess.run(
            ["wrk", "-t1", f"-c{self.connections}", f"-d{self.duration}s", "--timeout", "30s", "-s",
             os.path.join(HERE, "post.lua"), f"http://127.0.0.1:{port}"], env=settings, capture_output=True, text=True,
            check=False)
        found = re.search(r"^BENCH (.*)$", done.stdout, re.MULTILINE)
        if not found:
            sys.exit(f"wrk failed: {done.stdout}{done.stderr}")
        result = json.loads(found[1])
        if result["errors"]:
            sys.exit(f"{path}: {result['errors']} of {result['requests']} requests failed")
        return result["requests"] / (result["microseconds"] / 1e6), result["p99"] / 1000


def measure(options, folder):
    choice = random.Random(1)
    with open(os.path.join(HERE, "plan.yaml")) as file:
        plan = file.read().replace("EXPIRES", time.strftime("%Y-%m-%d", time.gmtime(time.time() + 200 * 86400)))
    plan_path = os.path.join(folder, "plan.yaml")
    with open(plan_path, "w") as file:
        file.write(plan)
    number = 200 if options.smoke else 2000
    hundred, lines = write_bodies(folder, plan, 100, number, choice)
    single, _ = write_bodies(folder, plan, 1, number, choice)
    window = int(time.time() // 86400)

    nginx = Nginx(os.path.join(folder, "nginx"))
    victoria = VictoriaMetrics(os.path.join(folder, "victoria"))
    throng = Throng(os.path.join(folder, "throng"), options.binary, plan_path)
    contenders = [nginx, victoria, throng]
    load = Load(options.connections, options.seconds)
    values = {}

    def note(name, value):
        values.setdefault(name, []).append(value)

    started = []
    try:
        for contender in contenders:
            contender.start()
            started.append(contender)
        postgres = Postgres(throng, os.path.join(folder, "rows"))
        postgres.prepare(plan, choice)
        for round_number in range(options.rounds):
            say(f"round {round_number + 1} of {options.rounds}")
            note("victoria lines/s", 100 * load.run(victoria.port, "/write", lines)[0])
            before = throng.cpu()
            rate, p99 = load.run(throng.port, "/v1/batches", hundred, window)
            throng.settle()
            daemon, database = (after - each for after, each in zip(throng.cpu(), before))
            note("throng events/s in batches of 100", 100 * rate)
            note("throng p99 in ms at full load", p99)
            note("PostgreSQL's CPU over the daemon's", database / daemon)
            note("throng CPU in µs an event", 1e6 * daemon / (100 * rate * options.seconds))
            note("nginx requests/s, bodies of one event", load.run(nginx.port, "/", single)[0])
            rate, _ = load.run(throng.port, "/v1/batches", single, window)
            throng.settle()
            note("throng requests/s, bodies of one event", rate)
            note("nginx requests/s, bodies of 100 events", load.run(nginx.port, "/", hundred)[0])
            note("INSERT events/s", postgres.inserts(max(1, options.seconds // 2)))
            note("COPY events/s", postgres.copies())
    finally:
        for contender in started:
            contender.stop()
    return values


def table(values):
    medians = {name: statistics.median(each) for name, each in values.items()}
    ratios = {
        "batches of 100 vs VictoriaMetrics' lines/s": (
            "throng events/s in batches of 100", "victoria lines/s", 1.0, 2.0),
        "the same vs one INSERT an event": ("throng events/s in batches of 100", "INSERT events/s", 100, 300),
        "the same vs COPY of raw rows": ("throng events/s in batches of 100", "COPY events/s", None, None),
        "requests of one event vs nginx's 204": (
            "throng requests/s, bodies of one event", "nginx requests/s, bodies of one event", 0.35, 0.6),
    }
    print(f"\n{'figure':45} {'median':>12} {'lowest':>12} {'highest':>12}")
    for name, each in values.items():
        print(f"{name:45} {medians[name]:12,.2f} {min(each):12,.2f} {max(each):12,.2f}")
    print(f"\n{'ratio of medians':45} {'is':>8} {'must':>8} {'aim':>8}")
    found = {}
    for name, (ours, theirs, must, aim) in ratios.items():
        found[name] = medians[ours] / medians[theirs]
        print(f"{name:45} {found[name]:8.2f} {must or '':>8} {aim or '':>8}")
    return {"medians": medians, "ratios": found, "rounds": values}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=6)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--json")
    parser.add_argument("--smoke", action="store_true", help="one short round, to see that it runs")
    options = parser.parse_args()
    if options.smoke:
        options.rounds, options.seconds = 1, 1
    options.binary = os.path.abspath(options.binary)
    folder = tempfile.mkdtemp(prefix="throng-bench-", dir="/tmp")
    if os.geteuid() == 0:
        # A private PostgreSQL's user must get through.
        os.chmod(folder, 0o755)
    try:
        found = table(measure(options, folder))
        if options.json:
            with open(options.json, "w") as file:
                json.dump(found, file, indent=1)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
