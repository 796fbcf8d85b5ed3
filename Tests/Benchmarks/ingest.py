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


# Half of the sample's events: orders.yaml counts them by what they are worth.
ORDERS = ("catalog", "product_view", "cart", "purchase")


def write_bodies(folder, plan, size, number, choice, orders=False):
    """Our batches, without what makes each its own; and the same events in InfluxDB's line protocol. With orders each event has a time
    of its own, and half of them have fields."""
    crowd, names = devices(), event_names(plan)
    times = [daemon.instant(time.time() - 60 - second) for second in range(60)]

    def event(name):
        if not orders:
            return {"event": name, "at": choice.choice(times)}
        at = f"{daemon.instant(time.time() - choice.uniform(60, 1800)).removesuffix('Z')}.{choice.randrange(1000):03}Z"
        fields = {"amount": round(min(choice.lognormvariate(3.5, 1), 500), 2), "lifecycle": choice.choice(("new", "loyal", "returning"))}
        return {"event": name, "at": at, **({"fields": fields} if name in ORDERS else {})}
    ours, lines = (os.path.join(folder, f"{name}-{size}{'-orders' * orders}") for name in ("batches", "lines"))
    with open(ours, "w") as batches, open(lines, "w") as points:
        for _ in range(number):
            device = choice.choice(crowd)
            first = choice.randrange(len(names) - size)
            events = [event(name) for name in names[first:first + size]]
            batches.write(json.dumps({"context": context(device), "events": events}, separators=(",", ":"))[1:] + "\n")
            # Tags that tell as much as our buckets do; whole user agents as tags would make a series of each device.
            agent = device["user_agent"]
            system = re.search(r"Windows|Android|iPhone|Mac OS X|Linux|CrOS", agent)
            browser = re.search(r"Firefox|Edg|OPR|SamsungBrowser|Chrome|Safari", agent)
            tags = (f"os={system[0].replace(' ', '_') if system else 'other'},browser={browser[0] if browser else 'other'},"
                    f"screen={device['screen_width'] // 400},memory={device['device_memory_gb'] or 'none'}")
            points.write("\t".join(line(event, tags) for event in events) + "\n")
    return ours, lines


def line(event, tags):
    fields = event.get("fields", {"amount": 1})
    ours = f",lifecycle={fields['lifecycle']}" if "lifecycle" in fields else ""
    return f"events,page={event['event']},{tags}{ours} value={fields['amount']}"


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
    orders_path = os.path.join(folder, "orders.yaml")
    dimension = "  lifecycle: {title: Lifecycle, field: lifecycle, list: {New: [new], Loyal: [loyal], Back: [returning]}}\n"
    daemon.write(orders_path, plan.replace("metrics:\n", f"{dimension}\nmetrics:\n")
                 + daemon.read(HERE, "orders.yaml").replace("EXPIRES", daemon.expiry()))
    bodies = {(kind, size): write_bodies(folder, plan, size, 100 if options.smoke else 2000, choice, kind == "mixed")
              for kind in ("plain", "mixed") for size in (1, 10, 100)}
    hundred = bodies["plain", 100][0]
    window = int(time.time() // 86400)

    nginx = Nginx(os.path.join(folder, "nginx"))
    victoria = VictoriaMetrics(os.path.join(folder, "victoria"))
    throng = Throng(plan_path, wide_path)
    orders = Throng(orders_path)
    unsynced = Throng(plan_path, durable=False)
    load = Load(options.connections, options.seconds)
    note = figures.note

    def cost(work):
        """What a load gave, with the processor seconds that the daemon and PostgreSQL spent on it to its end."""
        before = throng.cpu()
        result = work()
        throng.drain()
        return result, *(after - each for after, each in zip(throng.cpu(), before))

    def share(name, contender, load, size, *where):
        """A load's events a second, and what each costs who takes them to its end."""
        before = contender.cpu()[0]
        rate, _ = load.run(contender.port, *where)
        contender.drain()
        note(f"{name}: events/s", size * rate)
        note(f"{name}: CPU, ns an event", 1e9 * (contender.cpu()[0] - before) / (size * rate * options.seconds))

    for contender in (nginx, victoria, throng, orders, unsynced):
        contender.start()
    postgres = Postgres(throng, os.path.join(folder, "rows"))
    postgres.prepare()
    for round_number in range(options.rounds):
        say(f"round {round_number + 1} of {options.rounds}")
        for (kind, size), (ours, points) in bodies.items():
            name = f"{kind} batches of {size}"
            share(name, throng if kind == "plain" else orders, load, size, "/v1/batches", ours, window)
            if size > 1:
                share(f"{name}, VictoriaMetrics", victoria, load, size, "/write", points)
            else:
                share(f"{name}, nginx", nginx, load, size, "/", ours, window)
        rate, _ = load.run(unsynced.port, "/v1/batches", hundred, window)
        unsynced.drain()
        note("batches of 100, nothing synced: events/s", 100 * rate)
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
    for size, other, *bounds in (1, "nginx", 0.35, 0.7, 5, 2), (10, "VictoriaMetrics", 1, 2), (100, "VictoriaMetrics", 1, 2, 1, 0.4):
        for kind in "plain", "mixed":
            name = f"{kind} batches of {size}"
            target(f"{name} vs {other}, ×", ratio(f"{name}: events/s", f"{name}, {other}: events/s"), *bounds[:2])
            target("the same: CPU an event, ×",
                   ratio(f"{name}: CPU, ns an event", f"{name}, {other}: CPU, ns an event"), *bounds[2:], at_most=True)
    hundred = "plain batches of 100: events/s"
    target("plain batches of 100 vs one INSERT an event, ×", ratio(hundred, "INSERT: events/s"), 100, 300)
    target("the same vs nothing synced: what durability leaves, ×", ratio(hundred, "batches of 100, nothing synced: events/s"))
    target("p99 of the answer at half of its most, ms", figures.median("half of its most: p99 of the answer, ms"), 8, 3, at_most=True)
    target("the same vs fdatasync's own p99, ×", ratio("half of its most: p99 of the answer, ms", "the disk alone: p99 of fdatasync, ms"))
    for keys in "hot", "spread":
        name = f"{keys} keys: PostgreSQL's CPU, % of the daemon's"
        target(name, figures.median(name), 10, 3, at_most=True)


def run(options, folder, figures):
    measure(options, folder, figures)
    judge(figures)


if __name__ == "__main__":
    main(__doc__, run, rounds=(5, 1, ""), seconds=(5, 1, "of each load"), connections=(64, 64, ""))
