"""Row 9: not enough of something. Memory, time to stop, and ten thousand clients that say nothing: the daemon answers what it can, sheds
the rest, and what it acknowledged is counted. The program descriptors has too few of these."""

import os
import resource
import shutil
import signal
import socket
import time

from clients import Crowd, moved_in
from house import LEFT, House, Postgres, check, comes, daemon
from oracle import judge
from rows import Control, Row

PAUSE = 0.01


def takes_batches(house, crowd, count=5):
    check(set(crowd.post(count)) == {202}, "a batch was not acknowledged")


def connect(house, seconds):
    return socket.create_connection(("127.0.0.1", house.port), seconds)


class Group:
    """A memory cgroup, of version 2 where that has the memory controller, else of version 1."""

    def __init__(self):
        self.path = None
        for root, limit in (("/sys/fs/cgroup", "memory.max"), ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")):
            path = os.path.join(root, f"throng-faults-{os.getpid()}-{time.monotonic_ns()}")
            try:
                os.mkdir(path)
            except OSError:
                continue
            if os.access(os.path.join(path, limit), os.W_OK):
                self.path, self.limit_name = path, limit
                return
            os.rmdir(path)
        raise OSError("no cgroup with a memory controller can be made here")

    def limit(self, size):
        daemon.write(os.path.join(self.path, self.limit_name), str(size))

    @property
    def prefix(self):
        """Before a command: moves it into the group."""
        return ["sh", "-c", f'echo $$ > {self.path}/cgroup.procs && exec "$@"', "sh"]

    def end(self):
        for _ in range(100):
            try:
                return os.rmdir(self.path)
            except OSError:
                time.sleep(0.05)


def no_groups():
    if os.getuid() != 0:
        return "limiting a cgroup needs root"
    try:
        Group().end()
    except OSError as error:
        return str(error)
    return None


def memory(house, crowd, tally, chance, forget=False):
    """Within a limit that leaves some room it lives; within one that is too small the kernel kills it, and nothing is lost."""
    group = Group()
    house.prefix = group.prefix
    house.restart()
    crowd.start(pause=PAUSE)
    time.sleep(1)
    group.limit(house.resident() + (48 << 20))
    time.sleep(2)
    check(not house.has_ended, "it ended although there was room", house.log_text()[-2000:])
    # Less than it has now, and no swap for it: the kernel has to choose, and there is nobody else in the group.
    small = house.resident() // 2
    try:
        group.limit(small)
    except OSError:
        # Version 1 refuses a limit that it can't reach at once.
        group.limit(house.resident() + (1 << 20))
    bulk = []
    deadline = time.monotonic() + 20
    while not house.has_ended and time.monotonic() < deadline:
        # Bodies that never end, a megabyte each.
        try:
            line = connect(house, 1)
            line.settimeout(1)
            line.sendall(b"POST /v1/batches HTTP/1.1\r\nhost: x\r\ncontent-length: 1048576\r\n\r\n" + b"x" * 1_000_000)
            bulk.append(line)
        except OSError:
            time.sleep(0.01)
    killed = house.process.poll()
    for line in bulk:
        line.close()
    crowd.stop()
    check(killed == -signal.SIGKILL, "the kernel did not kill it, but it ended with", killed)
    if forget:
        shutil.rmtree(os.path.join(house.data, "journal"))
    house.prefix = []
    house.restart()
    crowd.retry()
    house.finish()
    group.end()


def stop_under_load(house, crowd, tally, chance):
    """SIGTERM under load: what is in flight is answered, everything is flushed, the exit code is 0."""
    house.restart()
    crowd.start(clients=8)
    time.sleep(chance.uniform(0.2, 2))
    house.finish()
    crowd.stop()
    if any(each in house.log_text() for each in LEFT):
        tally.note("a stop left some batches to the next start, which delivered them")


IDLE = 10_000
# For the few trials of Deploy/test.
FEW_IDLE = 1_000


def too_few_descriptors():
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard != resource.RLIM_INFINITY and hard < IDLE + 500:
        return f"{IDLE} connections need that many descriptors, and the limit is {hard}"
    return None


def idle(house, crowd, tally, chance, count=IDLE):
    """Ten thousand clients that are connected and say nothing: others are served, and the idle ones are let go."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, IDLE + 2000) if hard > 0 else IDLE + 2000, hard))
    house.settings["THRONG_INTAKE_IDLE_SECONDS"] = "45" if count > FEW_IDLE else "5"
    house.restart()
    takes_batches(house, crowd)
    base = house.resident()
    lines = []
    started = time.monotonic()
    for place in range(count):
        line = connect(house, 10)
        if place % 3 == 0:
            # Some have begun to speak.
            line.sendall(b"POST /v1/ba")
        lines.append(line)
    took = time.monotonic() - started
    begun = time.monotonic()
    takes_batches(house, crowd, 50)
    mean = (time.monotonic() - begun) / 50
    each = (house.resident() - base) / count
    check(mean < 0.5, "a batch takes", mean, "seconds beside idle clients")
    check(each < 64 << 10, "an idle connection takes", each, "bytes")
    connected = f"/proc/{house.process.pid}/fd"
    check(comes(lambda: len(os.listdir(connected)) <= 200, 90, pause=0.2), "idle connections are not let go:", len(os.listdir(connected)))
    for line in lines:
        line.close()
    tally.note(f"{count} idle connections in {took:.1f} s, {each / 1024:.1f} KiB each, batches beside them {mean * 1000:.1f} ms")
    house.finish()


def trials(kind):
    def run(tally, count, chance):
        for _ in range(count):
            house = House(Postgres.shared())
            crowd = Crowd(house, chance)
            kind(house, crowd, tally, chance, **({"count": FEW_IDLE} if kind is idle and count == 1 else {}))
            tally.add(judge(crowd, tally))
            house.end()
    return run


def forgotten(tally, chance):
    """After the kernel's kill somebody takes the journal away."""
    house = House(Postgres.shared(), THRONG_FLUSH_SECONDS="600")
    crowd = Crowd(house, chance)
    try:
        memory(house, crowd, tally, chance, forget=True)
        judge(crowd, tally)
    finally:
        house.end()


def killed_instead(tally, chance):
    """kill -9 without a restart in place of SIGTERM: what was not flushed is missing."""
    house, crowd = moved_in(chance, THRONG_FLUSH_SECONDS="600")
    crowd.run(clients=8, most=20)
    house.kill()
    judge(crowd, tally)
    house.end()


LOST = Control("kill -9 instead, without a restart", killed_instead, "lost")

ROWS = [
    Row("9.memory", "too little memory: alive within the limit, killed by the kernel beyond it", 20, 1, trials(memory),
        [Control("the journal is taken away", forgotten, "lost")], no_groups),
    Row("9.stop", "SIGTERM under load", 40, 1, trials(stop_under_load), [LOST]),
    Row("9.idle", "ten thousand idle connections", 3, 1, trials(idle), [LOST], too_few_descriptors),
]
