"""Too few descriptors, by a limit that is lowered meanwhile, and every error of accept: who is in is served,
newcomers are refused or wait, the journal goes on, nothing that was acknowledged is lost, and the daemon lives."""

import contextlib
import json
import os
import resource
import signal
import socket
import subprocess
import threading
import time

import daemon
import tls_house
import shop
from daemon import check, say, until
from raw_http import Line, request

# Long enough for Swift's Dispatch to count its threads in /proc more than once.
SECONDS = float(os.environ.get("THRONG_TEST_DESCRIPTORS", "3"))
# Segments and checkpoints that are new files every moment.
SMALL = {"THRONG_TEST_JOURNAL_SEGMENT_BYTES": "65536", "THRONG_TEST_JOURNAL_CHECKPOINT_BYTES": "65536"}
# One of each kind: too few descriptors, too little memory, a network that is odd, and what man 2 accept does not name.
ERRORS = ("EMFILE", "ENOMEM", "ECONNABORTED", "EIO")


class House(tls_house.House):
    """With pages; `limit` descriptors at most, where there is one."""

    def __init__(self, limit=None, **settings):
        super().__init__(scheme="http", portal=True, **settings)
        self.limit = limit

    def arguments(self):
        before = ["prlimit", f"--nofile={self.limit}:{self.limit}", "--"] if self.limit else []
        return before + super().arguments()

    @property
    def ports(self):
        return self.port, self.metrics_port, self.portal_port

    def is_alive(self, *when):
        check(self.process.poll() is None, *when, "it ended with", self.process.poll(), self.log_text()[-3000:])

    def refused(self, reason="descriptors"):
        return self.metrics()[f'throng_connections_refused_total{{reason="{reason}"}}']


class Load:
    """Clients that are in: each sends one batch after another on a connection of its own."""

    def __init__(self, house, clients=4):
        self.counts, self.failures = [0] * clients, []
        self.stop = threading.Event()
        self.lines = [Line(house.port, 60) for _ in range(clients)]
        self.threads = [threading.Thread(target=self.work, args=each, daemon=True) for each in enumerate(self.lines)]
        for thread in self.threads:
            thread.start()

    @property
    def acknowledged(self):
        return sum(self.counts)

    def work(self, place, line):
        try:
            while not self.stop.is_set():
                # Each with a user agent that nobody has had: those are read on a thread of Dispatch.
                batch = shop.batch(os.urandom(8).hex(), context={"user_agent": os.urandom(30).hex()}, events=[shop.event()] * 20)
                line.socket.sendall(request("POST", "/v1/batches", json.dumps(batch).encode()))
                status, _, body = line.answer()
                if status == 202:
                    self.counts[place] += json.loads(body)["accepted"]
                elif status != 503:
                    self.failures.append((status, body))
        except (OSError, daemon.Failure) as error:
            self.failures.append(error)

    def end(self):
        self.stop.set()
        for thread in self.threads:
            thread.join(60)
        for line in self.lines:
            line.socket.close()
        check(not self.failures, "who was in was not served:", self.failures[:3])
        return self.acknowledged


def flood(ports, count=300):
    """Connections that are more than there is room for; some are not taken, and wait."""
    lines = []
    for port in ports:
        for _ in range(count):
            line = socket.socket()
            line.setblocking(False)
            line.connect_ex(("127.0.0.1", port))
            lines.append(line)
    return lines


def served(house, count=20):
    """Newcomers get in again, at each port."""
    for port, path in ((house.port, "/healthz"), (house.metrics_port, "/metrics"), (house.portal_port, "/")):
        for _ in range(count):
            until(lambda: house.answers(path, port), "nobody gets in at", path, pause=0.05)


def rests(house):
    """Newcomers wait who can't get in, and nobody says anything: it neither spins nor floods its log."""
    def spent():
        words = daemon.read(f"/proc/{house.process.pid}/stat").rsplit(")", 1)[1].split()
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")

    lines = flood((house.port,), 200)
    time.sleep(0.5)
    before, size = spent(), os.path.getsize(house.log_path)
    time.sleep(3)
    house.is_alive("while newcomers wait")
    check(spent() - before < 1.5, "it spins:", spent() - before, "seconds of processor time in 3")
    check(os.path.getsize(house.log_path) - size < 1 << 20, "it floods its log")
    for line in lines:
        line.close()


def exact(house, total):
    check(house.stop() == 0, "SIGTERM ended with", house.process.returncode, house.log_text()[-3000:])
    house.limit = None
    house.start()
    house.drain()
    found = shop.counted(house)
    check(found == total, found, "events are counted, and", total, "were acknowledged")
    check(house.stop() == 0, "the last stop")


def lowered():
    """While it runs, below what it has open."""
    house = House(**SMALL).start()
    pid = house.process.pid
    whole = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    load = Load(house)
    held = [Line(house.port, 60) for _ in range(30)]
    for line in held:
        line.socket.sendall(request("GET", "/healthz"))
        check(line.answer()[0] == 200, "a connection that is held")
    time.sleep(0.5)
    for limit in (len(os.listdir(f"/proc/{pid}/fd")) + 4, 24):
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (limit, whole[1]))
        before = load.acknowledged
        lines = flood((house.port, house.portal_port), 100)
        time.sleep(SECONDS)
        house.is_alive("with a limit of", limit)
        check(load.acknowledged > before, "with a limit of", limit, "who was in is not served")
        for line in held:
            line.socket.sendall(request("GET", "/healthz"))
            check(line.answer()[0] == 200, "with a limit of", limit, "who was in is not answered")
        found = house.answers("/metrics", house.metrics_port)
        for line in lines:
            line.close()
        check(found, "with a limit of", limit, "nobody reads metrics")
        say(f"a limit of {limit}: alive, and metrics can be read")
    total = load.end()
    rests(house)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, whole)
    served(house)
    check(house.refused() > 0, "no newcomer is said to have been refused")
    for line in held:
        line.socket.close()
    exact(house, total)
    told = house.log_text().count("connections that could not be taken")
    check(1 <= told <= 3, "newcomers that were refused are told", told, "times")
    say(f"limits that are lowered meanwhile: {total} events acknowledged and counted")


def follow(house, tracer):
    """Returns once all threads are followed."""
    tasks = f"/proc/{house.process.pid}/task"
    while True:
        check(tracer.poll() is None, "strace ended with", tracer.poll())
        followed = []
        for task in os.listdir(tasks):
            # It may end meanwhile.
            with contextlib.suppress(OSError):
                followed.append(f"TracerPid:\t{tracer.pid}\n" in daemon.read(f"{tasks}/{task}/status"))
        if followed and all(followed):
            return
        time.sleep(0.05)


def errors():
    """Each error of accept, every other time."""
    if os.getuid() != 0:
        return say("only root may follow a daemon that nobody may follow: errors of accept are left out")
    house = House().start()
    load = Load(house, 1)
    for name in ERRORS:
        tracer = subprocess.Popen(
            ["strace", "-f", "-qq", "-p", str(house.process.pid), "-o", os.path.join(house.folder, "strace.log"), "-e",
             "trace=accept4", "-e", f"inject=accept4:error={name}:when=1+2"], stderr=subprocess.DEVNULL)
        follow(house, tracer)
        served(house, 4)
        house.is_alive(name)
        tracer.send_signal(signal.SIGINT)
        tracer.wait(30)
        check(f" {name} " in daemon.read(house.folder, "strace.log"), name, "was not injected: the control is missing")
    served(house)
    found = {reason: house.refused(reason) for reason in ("descriptors", "memory", "network")}
    check(all(found.values()), "what accept said is not counted:", found)
    exact(house, load.end())
    say("errors of accept end nothing, and the next client is taken:", ", ".join(ERRORS), found)


def test():
    lowered()
    errors()
