"""Three daemons of one PostgreSQL behind haproxy, by Deploy/proxy/haproxy-daemons.cfg, under load: in each trial one is killed, frozen,
stopped and started, or PostgreSQL is, at random. Afterwards nothing is lost, nothing doubled, and devices are exact."""

import argparse
import collections
import hashlib
import json
import os
import random
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../EndToEndTests/Programs/Support"))

import daemon  # noqa: E402
import fleet  # noqa: E402
import shop  # noqa: E402
from daemon import check, say  # noqa: E402

ROTATION = 60


def plan():
    return shop.plan().replace(daemon.duration(shop.ROTATION), daemon.duration(ROTATION))


class Alone(fleet.Member):
    """One with a database of its own."""

    def arguments(self):
        return [word.replace("dbname=throng", "dbname=" + self.name) for word in super().arguments()]


class Strangers(fleet.Fleet):
    """The control: daemons that know nothing of one another, so that each counts whatever a balancer sends it."""

    def __init__(self, plan, names):
        super().__init__(plan, "")
        for name in names:
            self.postgres.sql("create database " + name, "postgres")
            self.members[name] = Alone(self, name)

    def join(self, name, within=6):
        """Nothing to join."""

    def map(self):
        names = [member.id for member in self.members.values() if member.process]
        return "".join(f"{slot} {names[slot % len(names)]}\n" for slot in range(256))

    def counted(self, metric="views"):
        return sum(super(Strangers, self).counted(metric, name) for name in self.members)

    def devices(self, metric="views"):
        found = collections.Counter()
        for name in self.members:
            found.update(super().devices(metric, name))
        return found


class Balancer:
    """haproxy before a fleet."""

    def __init__(self, house, kind):
        self.house, self.kind = house, kind
        self.port = daemon.free_ports(1)[0]
        self.process = None
        self.write()
        self.start()

    def write(self):
        text = daemon.read(daemon.ROOT, "Deploy/proxy/haproxy-daemons.cfg")
        self.map = os.path.join(self.house.folder, "throng.map")
        daemon.write(self.map, self.house.map() if self.kind != "round robin" else "")
        servers = "".join(
            f"    server {member.id} 127.0.0.1:{member.port}\n" for member in self.house.members.values() if member.process is not None)
        lines = [line for line in text.split("\n") if not line.strip().startswith("server 0")]
        text = "\n".join(lines).replace("/etc/haproxy/throng.map", self.map).replace(
            "    http-error status 502", servers + "    http-error status 502", 1)
        head = (
            "global\n    maxconn 2000\ndefaults\n    mode http\n    timeout connect 2s\n    timeout client 60s\n    timeout server 30s\n"
            f"frontend clients\n    bind 127.0.0.1:{self.port}\n    default_backend throng\n")
        self.path = os.path.join(self.house.folder, "haproxy.cfg")
        daemon.write(self.path, head + text)

    def start(self):
        self.process = subprocess.Popen(["haproxy", "-db", "-q", "-f", self.path], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=open(os.path.join(self.house.folder, "haproxy.log"), "ab"))

    def stop(self):
        self.process.terminate()
        self.process.wait(20)


class Clients(fleet.Clients):
    """Say the slot, as the SDK does."""

    def path(self, body):
        identifier = json.loads(body)["id"]
        return f"/v1/batches?slot={hashlib.sha256(identifier.encode()).digest()[0]}"


# What is done to a daemon, or to all.

def killed(house, member, chance):
    member.kill()
    time.sleep(chance.uniform(0, 3))
    member.start()


def frozen(house, member, chance):
    member.freeze()
    time.sleep(chance.uniform(0.5, 14))
    member.thaw()


def stopped(house, member, chance):
    check(member.stop() == 0, "serve stops gracefully")
    time.sleep(chance.uniform(0, 2))
    member.start()


def killed_with_postgres(house, member, chance):
    house.postgres.stop("immediate")
    time.sleep(chance.uniform(0, 2))
    member.kill()
    time.sleep(chance.uniform(0, 3))
    house.postgres.start()
    member.start()


def without_postgres(house, member, chance):
    house.postgres.stop("immediate")
    time.sleep(chance.uniform(1, 8))
    house.postgres.start()


KINDS = [killed, frozen, stopped, killed_with_postgres, without_postgres]


def judge(house, clients):
    """What PostgreSQL has is what clients were told; of what nobody was told before its window was over, all, some or nothing."""
    house.drain([name for name, member in house.members.items() if member.process and member.process.poll() is None])
    found, devices = house.counted(), house.devices()
    lost, doubled = max(0, clients.events - found), max(0, found - clients.events - sum(each[0] for each in clients.unsure))
    most = clients.possible()
    wrong = {window: (len(clients.seen.get(window, ())), devices.get(window, 0), len(most.get(window, ()))) for window in {*devices, *most}
             if not len(clients.seen.get(window, ())) <= devices.get(window, 0) <= len(most.get(window, ()))}
    return found, lost, doubled, wrong


def tried(options, house, clients, kinds, after=lambda: None):
    """Does one of these, chosen at random, again and again under load; then says and returns what `judge` finds."""
    chance, tally = random.Random(options.seed), collections.Counter()
    # Those that joined count what opens from then on.
    time.sleep(7 + ROTATION - time.time() % ROTATION)
    with clients:
        for trial in range(options.trials):
            kind = chance.choice(kinds)
            time.sleep(chance.uniform(0.5, 3))
            events = clients.events
            kind(house, house[chance.choice("abc")], chance)
            check(not clients.failure, clients.failure)
            tally[kind.__name__] += 1
            if options.verbose:
                say(f"{trial + 1:4} {kind.__name__}, {clients.events - events:,} events meanwhile")
        after()
    found, lost, doubled, wrong = judge(house, clients)
    say(f"{options.trials} trials: {dict(tally)}; sent again: {dict(clients.retries)}")
    say(f"events acknowledged {clients.events:,}, never answered {sum(each[0] for each in clients.unsure)}, counted {found:,}: "
        f"lost {lost}, doubled {doubled}; identifiers {sum(map(len, clients.seen.values())):,}, "
        f"{f'wrong in {wrong}' if wrong else 'exact'}")
    if options.control:
        check(not lost and doubled, "what is counted twice is not seen")
    else:
        check(not lost and not doubled and not wrong, "exact")
    return found, doubled, wrong


def joined(house):
    for name in "abc":
        house[name].start()
        if name != "a":
            house.join(name)
    return house


def trials(options):
    house = joined((Strangers if options.control else fleet.Fleet)(plan(), names="abc"))
    balancer = Balancer(house, options.balancer)
    clients = Clients(lambda: [("127.0.0.1", balancer.port)], ROTATION, f"daemons {options.seed}", devices=200, threads=24)
    _, _, wrong = tried(options, house, clients, KINDS)
    balancer.stop()
    check(wrong or not options.control, "daemons that know nothing of one another count devices twice")


def command_line(trials):
    """What all of these trials are told."""
    parser = argparse.ArgumentParser()
    parser.add_argument("trials", nargs="?", type=int, default=trials)
    parser.add_argument("seed", nargs="?", type=int, default=1)
    for name in ("--control", "--verbose"):
        parser.add_argument(name, action="store_true")
    return parser


def main():
    parser = command_line(100)
    parser.add_argument("--balancer", choices=["by slot", "round robin"], default="by slot")
    options = parser.parse_args()
    daemon.main(lambda: trials(options))


if __name__ == "__main__":
    main()
