"""How fast a daemon takes batches, beside servers that people know, on the same machine, in the same run.

Every contender answers the same bodies from the same load generator (wrk) in turn; what counts is the ratio of medians over
the rounds. How long answers take is measured by `throng bench`, which does not wait for them. All of it listens on 127.0.0.1,
lives in one temporary folder, and stops by itself."""

import gzip
import json
import os
import random
import re
import statistics
import sys
import time

from common import DEVICES, HERE, cube, daemon, event_names, main, plan_in, say
from servers import Nginx, Postgres, Throng, VictoriaMetrics

# What is sent

def devices():
    with gzip.open(DEVICES, "rt") as file:
        return [json.loads(line) for line in file]


def context(device):
    found = {"user_agent": device["user_agent"], "screen": f"{device['screen_width']}x{device['screen_height']}"}
    if device["device_memory_gb"] is not None:
        found["memory_gb"] = device["device_memory_gb"]
    return found


def write_bodies(folder, plan, size, number, choice):
    """Our batches, without what makes each its own; and the same events in InfluxDB's line protocol."""
    crowd, names = devices(), event_names(plan)
    times = [daemon.instant(time.time() - 60 - second) for second in range(60)]
    ours, lines = os.path.join(folder, f"batches-{size}"), os.path.join(folder, f"lines-{size}")
    with open(ours, "w") as batches, open(lines, "w") as points:
        for _ in range(number):
            device = choice.choice(crowd)
            first = choice.randrange(len(names) - size)
            events = names[first:first + size]
            document = {"context": context(device), "events": [{"event": event, "at": choice.choice(times)} for event in events]}
            batches.write(json.dumps(document, separators=(",", ":"))[1:] + "\n")
            # Tags that tell as much as our buckets do; whole user agents as tags would make a series of each device.
            agent = device["user_agent"]
            system = re.search(r"Windows|Android|iPhone|Mac OS X|Linux|CrOS", agent)
            browser = re.search(r"Firefox|Edg|OPR|SamsungBrowser|Chrome|Safari", agent)
            tags = (f"os={system[0].replace(' ', '_') if system else 'other'},browser={browser[0] if browser else 'other'},"
                    f"screen={device['screen_width'] // 400},memory={device['device_memory_gb'] or 'none'}")
            points.write("\t".join(f"events,page={event},{tags} value=1" for event in events) + "\n")
    return ours, lines


class Load:
    """wrk with prepared bodies."""

    def __init__(self, connections, duration):
        self.connections, self.duration, self.seed = connections, duration, 0

    def run(self, port, path, bodies, window=None):
        self.seed += 1
        settings = {**os.environ, "BENCH_PATH": path, "BENCH_SEED": str(self.seed), "BENCH_BODIES": bodies}
        if window is not None:
            settings["BENCH_WINDOW"] = str(window)
        done = daemon.ran("wrk", "-t1", f"-c{self.connections}", f"-d{self.duration}s", "--timeout", "30s", "-s",
                          os.path.join(HERE, "post.lua"), f"http://127.0.0.1:{port}", env=settings)
        found = re.search(r"^BENCH (.*)$", done.stdout, re.MULTILINE)
        daemon.check(found, "wrk failed:", done.stdout, done.stderr)
        result = json.loads(found[1])
        if result["errors"]:
            sys.exit(f"{path}: {result['errors']} of {result['requests']} requests failed")
        return result["requests"] / (result["microseconds"] / 1e6), result["p99"] / 1000


def disk(folder, seconds):
    """The disk alone: milliseconds of fdatasync after 16 KiB each, as p50 and p99. An answer waits for two at most."""
    took, end = [], time.monotonic() + seconds
    with open(os.path.join(folder, "synced"), "wb", buffering=0) as file:
        os.posix_fallocate(file.fileno(), 0, 1 << 28)
        while time.monotonic() < end:
            file.write(os.urandom(16 << 10))
            before = time.monotonic()
            os.fdatasync(file.fileno())
            took.append(1e3 * (time.monotonic() - before))
            time.sleep(0.0005)
    return (statistics.quantiles(took, n=100)[place] for place in (49, 98))


def measure(options, folder, figures):
    choice = random.Random(1)
    plan_path = plan_in(folder)
    plan = daemon.read(plan_path)
    wide_path = cube(folder, "wide", 100)
    number = 100 if options.smoke else 2000
    hundred, points = write_bodies(folder, plan, 100, number, choice)
    single, _ = write_bodies(folder, plan, 1, number, choice)
    window = int(time.time() // 86400)

    nginx = Nginx(os.path.join(folder, "nginx"))
    victoria = VictoriaMetrics(os.path.join(folder, "victoria"))
    throng = Throng(plan_path, wide_path)
    unsynced = Throng(plan_path, durable=False)
    load = Load(options.connections, options.seconds)
    note = figures.note

    def cost(work):
        """What a load gave, with the processor seconds that the daemon and PostgreSQL spent on it to its end."""
        before = throng.cpu()
        result = work()
        throng.drain()
        return result, *(after - each for after, each in zip(throng.cpu(), before))

    for contender in (nginx, victoria, throng, unsynced):
        contender.start()
    postgres = Postgres(throng, os.path.join(folder, "rows"))
    postgres.prepare(plan, choice)
    for round_number in range(options.rounds):
        say(f"round {round_number + 1} of {options.rounds}")
        note("VictoriaMetrics: lines/s", 100 * load.run(victoria.port, "/write", points)[0])
        (rate, _), counting, database = cost(lambda: load.run(throng.port, "/v1/batches", hundred, window))
        note("batches of 100: events/s", 100 * rate)
        note("batches of 100: CPU, ns an event", 1e9 * counting / (100 * rate * options.seconds))
        rate, _ = load.run(unsynced.port, "/v1/batches", hundred, window)
        unsynced.drain()
        note("batches of 100, nothing synced: events/s", 100 * rate)
        note("nginx: requests/s, bodies of one event", load.run(nginx.port, "/", single, window)[0])
        (rate, _), counting, _ = cost(lambda: load.run(throng.port, "/v1/batches", single, window))
        note("one event a request: requests/s", rate)
        note("one event a request: CPU, µs a request", 1e6 * counting / (rate * options.seconds))
        note("nginx: requests/s, bodies of 100 events", load.run(nginx.port, "/", hundred, window)[0])

        at_half, _, _ = cost(lambda: throng.bench(plan_path, "--share", 0.5, "--seconds", options.seconds))
        note("half of its most: batches of 100 a second", at_half["rate"])
        for name, key in ("p50", "p50"), ("p99", "p99"), ("p99.9", "p999"):
            note(f"half of its most: {name} of the answer, ms", at_half["milliseconds"][key])
        note("half of its most: p99 of the generator's delay, ms", at_half["generatorMilliseconds"]["p99"])
        for name, took in zip(("p50", "p99"), disk(folder, options.seconds / 3)):
            note(f"the disk alone: {name} of fdatasync, ms", took)
        same = unsynced.bench(plan_path, "--rate", at_half["askedRate"], "--seconds", options.seconds)
        note("the same rate, nothing synced: p99 of the answer, ms", same["milliseconds"]["p99"])
        hot = ("--most", "--bodies", 20, "--seconds", options.seconds)
        found, counting, database = cost(lambda: throng.bench(plan_path, *hot))
        note("hot keys: events/s", found["eventsPerSecond"])
        note("hot keys: PostgreSQL's CPU, % of the daemon's", 100 * database / counting)
        note("INSERT: events/s", postgres.inserts(max(1, options.seconds // 2)))
        note("COPY: events/s", postgres.copies())
    # PostgreSQL rests for up to a minute after a flush of so many counters: long enough to see two of them.
    say("spread keys")
    spread = ("--most", "--spread", "--seconds", options.seconds if options.smoke else 130)
    found, counting, database = cost(lambda: throng.bench(wide_path, *spread))
    note("spread keys: events/s", found["eventsPerSecond"])
    note("spread keys: PostgreSQL's CPU, % of the daemon's", 100 * database / counting)


def judge(figures):
    def ratio(ours, theirs):
        return figures.median(ours) / figures.median(theirs)
    target = figures.target
    target("batches of 100 vs VictoriaMetrics' lines/s, ×", ratio("batches of 100: events/s", "VictoriaMetrics: lines/s"), 1, 2)
    target("the same vs one INSERT an event, ×", ratio("batches of 100: events/s", "INSERT: events/s"), 100, 300)
    target("the same vs COPY of raw rows, ×", ratio("batches of 100: events/s", "COPY: events/s"))
    target("the same vs nothing synced: what durability leaves, ×",
           ratio("batches of 100: events/s", "batches of 100, nothing synced: events/s"))
    target("requests of one event vs nginx's 204, ×",
           ratio("one event a request: requests/s", "nginx: requests/s, bodies of one event"), 0.35, 0.6)
    target("p99 of the answer at half of its most, ms", figures.median("half of its most: p99 of the answer, ms"), 10, 3, at_most=True)
    target("the same vs fdatasync's own p99, ×", ratio("half of its most: p99 of the answer, ms", "the disk alone: p99 of fdatasync, ms"))
    for keys in "hot", "spread":
        name = f"{keys} keys: PostgreSQL's CPU, % of the daemon's"
        target(name, figures.median(name), 10, 3, at_most=True)


def run(options, folder, figures):
    measure(options, folder, figures)
    judge(figures)


if __name__ == "__main__":
    main(__doc__, run, rounds=(5, 1, ""), seconds=(6, 1, "of each load"), connections=(256, 256, ""))
