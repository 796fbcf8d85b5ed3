"""A PostgreSQL that hangs is as good as one that is away: clients are acknowledged, a start listens, a stop has an end.

It is hung in two ways: all of its processes are stopped (SIGSTOP), and another session holds a lock that a start needs."""

import contextlib
import json
import os
import signal
import subprocess
import time

import daemon
import shop
from daemon import check, say, until

# What people may wait for at each place; it was 415, 300 and 345 seconds once.
ACKNOWLEDGED, LISTENING, STOPPED = 45, 60, 90


class Frozen:
    """The private PostgreSQL with all of its processes, each stopped by its id."""

    def __init__(self, house):
        self.ids = [house.postgres_pid(), *daemon.children(house.postgres_pid())]

    def __enter__(self):
        self.send(signal.SIGSTOP)
        return self

    def __exit__(self, *_):
        self.send(signal.SIGCONT)

    def send(self, number):
        for each in self.ids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(each, number)


def until_acknowledged(house, seconds, identifier):
    """How long it took until a batch, sent as often as need be, was acknowledged."""
    begun = time.monotonic()
    body = json.dumps(shop.batch(identifier))

    def is_acknowledged():
        check(house.process.poll() is None, "the daemon ended with", house.process.poll(), house.log_text()[-2000:])
        with contextlib.suppress(OSError):
            return house.post(body)[0] == 202
    until(is_acknowledged, identifier, "was not acknowledged\n", lambda: house.log_text()[-3000:], seconds=seconds, pause=0.05)
    return time.monotonic() - begun


def stop(house, *signals, stays=None):
    """How long a stop takes; `stays` is whether the journal keeps something for the next start, which is said once."""
    begun, said = time.monotonic(), len(house.log_text())
    for number in signals or (signal.SIGTERM,):
        house.process.send_signal(number)
        time.sleep(0.2)
    code = house.process.wait(STOPPED)
    took, words = time.monotonic() - begun, house.log_text()[said:]
    check(code == 0, signals, "ended with", code, words[-3000:])
    check(" critical " not in words and "needs a person" not in words, "a stop in order needs a person:", words)
    check("tried again" not in words, "a stop tries something again:", words)
    times = words.count("stopped before PostgreSQL had everything")
    check(times <= 1 if stays is None else times == stays, "what stays is said", times, "times:", words)
    check(stays is not False or "stopped without PostgreSQL" not in words, "PostgreSQL was there:", words)
    return took


def in_doubt(house):
    """A daemon that stood still asks PostgreSQL, which hangs; it says that it is not ready, and then goes on."""
    with Frozen(house):
        house.process.send_signal(signal.SIGSTOP)
        # Longer than it acknowledges by what it was told last.
        time.sleep(9.5)
        house.process.send_signal(signal.SIGCONT)
        status, _, words = house.get("/readyz")
        check(status == 503 and b"stood still" in words, "in doubt /readyz says", status, words)
        took = until_acknowledged(house, ACKNOWLEDGED, "in doubt")
        say(f"a daemon that stood still beside a PostgreSQL that hangs acknowledges after {took:.1f} s")
        check(house.get("/readyz")[0] == 200, "and is ready then")
        until(lambda: not house.metrics()["throng_database_up"], "it does not say that PostgreSQL does not answer")
        # Other signals while the first one waits for PostgreSQL: nothing more is said than by one.
        took = stop(house, signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, stays=True)
        say(f"SIGINT, SIGTERM and SIGQUIT took {took:.1f} s")


def start_beside_hung(house):
    """The server was left behind by kill -9 and hangs: the next start adopts it, and does not wait for it."""
    house.start()
    house.kill()
    with Frozen(house):
        # A start that waits for it is stopped, and the next one goes on without it.
        house.launch()
        time.sleep(2)
        say(f"SIGTERM in a start beside a PostgreSQL that hangs took {stop(house):.1f} s")
        house.launch()
        took = until_acknowledged(house, LISTENING, "start")
        say(f"a start beside a PostgreSQL that hangs acknowledges after {took:.1f} s")
    house.drain(120)


def start_beside_lock(house):
    """Its PostgreSQL goes on without it, and somebody holds a lock there."""
    check(house.stop() == 0, "a stop with PostgreSQL at hand")
    house.start()
    house.kill()
    holder = subprocess.Popen(["psql", "-X", "-q", "-h", house.data + "/postgres", "-U", "postgres", "-d", "throng"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True)
    holder.stdin.write("begin; lock table throng.metric_layout in access exclusive mode; \\echo locked\n")
    holder.stdin.flush()
    check(holder.stdout.readline().strip() == "locked", "the lock")
    house.launch()
    took = until_acknowledged(house, LISTENING, "lock")
    say(f"a start beside a lock acknowledges after {took:.1f} s")
    check(house.get("/readyz")[0] == 200, "it is ready")
    say(f"SIGTERM took {stop(house):.1f} s")
    check(house.postgres_pid() is None, "PostgreSQL was stopped, although a session held a lock")
    holder.stdin.close()
    holder.wait(30)


def test():
    house = daemon.Daemon(shop.plan()).start()
    check(house.post(json.dumps(shop.batch("first")))[0] == 202, "a batch")
    house.drain()
    in_doubt(house)
    start_beside_hung(house)
    start_beside_lock(house)
    house.start()
    house.drain()
    check(shop.counted(house) == 4, "each batch is counted once:", shop.counted(house))
    say(f"a stop with nothing in its way took {stop(house, stays=False):.1f} s")
    check(house.postgres_pid() is None, "and PostgreSQL is gone")
