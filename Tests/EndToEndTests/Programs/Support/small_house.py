"""A small house with one released hour, in which small numbers are withheld, and empty ones; and an analyst's login of her own."""

import os
import subprocess
import time

import daemon
from daemon import check

K = 5
ROTATION = daemon.rotation_with_time_left([86400, 23 * 3600, 22 * 3600])
PLAN = f"""
app: {{name: salon, title: Salon, owner: Tests, contact: tests@example.com, audience: 100, threshold: {K}}}
purposes:
  product: {{explanation: To see what is used., consent: not_required, rotation: {daemon.duration(ROTATION)},
    retention: 30 days}}
dimensions:
  system: {{title: System, field: system, list: [android, ios, linux, plan9], partitions: devices}}
  room: {{title: Room, field: room, list: [hall, cellar, attic]}}
metrics:
  visits: {{title: Visits, events: [visit], question: Where are people?, decision: None., owner: Tests, expires: EXPIRES,
    purpose: product, dimensions: [system, room], period: hour, contribution_bound: 100,
    impossible: [{{system: plan9, room: attic}}],
    measures: {{reach: true, sums: {{spent: {{field: amount, from: 0, to: 1000, decimals: 2, unit: EUR}}}}}}}}
""".replace("EXPIRES", daemon.expiry())

# Devices by system and room. Linux in the cellar is small, in the attic there is nobody of ios and linux.
CROWD = {("android", "hall"): 40, ("android", "cellar"): 25, ("android", "attic"): 15,
         ("ios", "hall"): 30, ("ios", "cellar"): 20, ("linux", "hall"): 20, ("linux", "cellar"): 2, ("plan9", "hall"): 12}

# An hour that is over, so that it can be released at once: the last one when the house is opened.
HOUR = None


def visit(house, device, system, room, at=None):
    house.take({
        "app": "salon", "batch": os.urandom(16).hex(), "purpose": "product", "window": int(time.time()) // ROTATION,
        "id": f"device {device}", "context": {"system": system, "room": room},
        "events": [{"event": "visit", "at": daemon.instant(at or HOUR + 1800), "fields": {"amount": 2.5}}]})


def open_house():
    """A running daemon with a released hour."""
    global HOUR
    HOUR = daemon.hour_with_time_left() - 3600
    house = daemon.Daemon(PLAN, name="salon").start()
    for (system, room), count in CROWD.items():
        for place in range(count):
            visit(house, f"{system} {room} {place}", system, room)
    house.drain()
    house.release()
    house.sql("create role alice login; grant throng_analyst to alice")
    return house


def psql(house, user, *options, stdin=None):
    return subprocess.run(
        ["psql", "-X", "-q", "-A", "-t", "-v", "VERBOSITY=verbose", "-h", house.data + "/postgres", "-U", user, "-d", "throng",
         *options], input=stdin, capture_output=True, text=True, timeout=600)


def ask(house, query, user="alice"):
    """Exit code, standard output and error of psql as an analyst."""
    done = psql(house, user, "-c", query)
    return done.returncode, done.stdout.strip("\n"), done.stderr


def ask_all(house, queries, user="alice"):
    """Standard output and error of each of these, in one session: a thousand sessions take minutes."""
    mark = "--------answer--------"
    words = "".join(f"\\echo {mark}\n\\warn {mark}\n{query};\n" for query in queries)
    done = psql(house, user, stdin=words)
    found = [[answer.strip("\n") for answer in said.split(mark + "\n")[1:]] for said in (done.stdout, done.stderr)]
    check([len(answers) for answers in found] == [len(queries)] * 2, "psql ended early:", done.stderr[-2000:])
    return list(zip(*found))
