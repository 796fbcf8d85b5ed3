"""What a service manager hears of a daemon, and how a stop is announced to balancers. The units that are shipped are sizes'."""

import json
import os
import signal
import socket
import time

import daemon
import shop
from daemon import check, say, until


class Manager:
    """Hears what the daemon says."""

    def __init__(self, address):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(address)
        self.socket.settimeout(600)

    def hears(self):
        """The next message, as a dictionary."""
        return dict(line.split("=", 1) for line in self.socket.recv(4096).decode().splitlines())

    def is_silent(self):
        self.socket.setblocking(False)
        try:
            return not self.socket.recv(4096)
        except BlockingIOError:
            return True
        finally:
            self.socket.settimeout(600)


class House(daemon.Daemon):
    """One that logs for programs."""

    def arguments(self):
        return [*super().arguments(), "--log-format", "json"]


def stops(house, seconds):
    """Waits for the end, which comes long before that."""
    check(house.process.wait(seconds) == 0, "it ends with", house.process.returncode)


def hears(house, manager):
    heard = manager.hears()
    check(heard.get("READY") == "1" and "shop" in heard["STATUS"], "it is ready with", heard)
    check(house.get("/healthz")[0] == 200, "it says that it is ready before it answers")
    with open(house.plan, "a") as file:
        file.write("# read anew\n")
    house.process.send_signal(signal.SIGHUP)
    heard = manager.hears()
    check(heard.get("RELOADING") == "1", "of a reload it says", heard)
    passed = time.clock_gettime(time.CLOCK_MONOTONIC) - int(heard["MONOTONIC_USEC"]) / 1e6
    check(0 <= passed < 600, "its monotonic clock is", passed, "seconds off")
    check(manager.hears().get("READY") == "1", "it is ready again")
    # Plans that say what they said are nothing to tell.
    house.process.send_signal(signal.SIGHUP)
    house.said("nothing changes")
    check(manager.is_silent(), "something is said of no change")
    say("a service manager hears that it is ready, of a reload, and that it is ready again")


def announces(house, manager):
    """A stop is announced: /readyz says so, and what comes is taken."""
    house.process.terminate()
    check(manager.hears().get("STOPPING") == "1", "of a stop nothing is said")
    until(lambda: house.get("/readyz")[0] != 200, "/readyz says nothing of a stop", pause=0.05)
    status, _, text = house.get("/readyz")
    check(status == 503 and b"about to stop" in text, "/readyz says", status, text)
    check(house.get("/readyz", port=house.metrics_port)[0] == 503, "at the other port it says nothing")
    check(house.get("/healthz")[0] == 200, "it is alive")
    check(house.post(json.dumps(shop.batch("late")))[0] == 202, "a batch that comes while a stop is announced is not taken")
    house.process.send_signal(signal.SIGHUP)
    house.process.terminate()
    stops(house, 120)
    say("a stop is announced, a batch that comes meanwhile is counted, and a second signal stops it at once")


def test():
    path = os.path.join(daemon.temporary(), "notify")
    house = House(shop.plan(), NOTIFY_SOCKET=path, THRONG_STOP_DRAIN_SECONDS="600")
    manager = Manager(path)
    house.start()
    hears(house, manager)
    announces(house, manager)

    # By an abstract name, with a time to go by, and with nobody there who listens.
    name = f"throng-test-{os.getpid()}"
    house.settings = {"NOTIFY_SOCKET": "@" + name, "THRONG_STOP_DRAIN_SECONDS": "2"}
    manager = Manager("\0" + name)
    house.start()
    check(manager.hears().get("READY") == "1", "by an abstract name nothing is heard")
    check(house.get("/metrics", port=house.metrics_port)[0] == 200, "no metrics")
    began = time.monotonic()
    house.process.terminate()
    check(manager.hears().get("STOPPING") == "1", "of a stop nothing is said")
    stops(house, 120)
    check(time.monotonic() - began > 2, "it stops before its time")
    manager.socket.close()
    house.start()
    check(house.stop() == 0, "with nobody to tell it does not stop in order")
    house.settings = {"NOTIFY_SOCKET": "no socket"}
    house.start()
    check(house.stop() == 0, "without a drain it does not stop in order")
    say("an abstract name is heard, a drain ends by itself, and who is told nothing misses nothing")

    lines = [json.loads(line) for line in house.log_text().splitlines()]
    check(sum(line["message"] == "listening" for line in lines) >= 8, "the log has", len(lines), "lines")
    check({"time", "level", "label", "message"} <= set(lines[0]), "a line of the log has", lines[0])
    say("each of", len(lines), "lines of the log is an object")
