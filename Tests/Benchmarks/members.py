"""What an event costs where 1, 2 and 4 daemons count into one PostgreSQL: with as many events as they take, and with as many events
for each.

Each gets the identifiers that it counts, as from a balancer that knows slots, and all of them touch the same 10^5 cells. Processor
time of the daemons and of PostgreSQL an event, over minutes of a load that goes on, flushes included as they come; rounds of all
numbers of daemons take turns, so that what the machine does otherwise meets all of them. The generator has a core of its own, the
others are for all that is measured. One more figure is what it costs where nobody knows slots, and all but one of four batches is
handed on."""

import argparse
import os
import subprocess
import sys
import threading
import time

from common import Figures, Settings, cube, say, temporary_folder
from servers import Throng, family, free_port, seconds


class Member(Throng):
    """A daemon that others reach."""

    def start(self):
        self.options = ["--members", f"127.0.0.1:{free_port()}"]
        super().start()

    def events(self):
        """How many it has accepted."""
        return self.metrics()["throng_events_accepted_total"]

    def flushes(self):
        return self.metrics()["throng_flushes_total"]

    @property
    def id(self):
        with open(os.path.join(self.data, "daemon.id")) as file:
            return file.readlines()[1].strip().lower()


class Fleet:
    """So many daemons of one PostgreSQL, which the first of them runs."""

    def __init__(self, folder, binary, plan, count):
        self.binary, self.plan = binary, plan
        first = Member(os.path.join(folder, f"{count}-0"), binary, plan)
        first.start()
        self.database = f"host={first.data}/postgres user=postgres dbname=throng"
        self.members = [first]
        for number in range(1, count):
            self.members.append(Member(os.path.join(folder, f"{count}-{number}"), binary, plan, database=self.database))
            self.members[-1].start()
            self.daemon("join", self.members[-1].id, "--within", "6")
        self.slots = {member.id: [] for member in self.members}
        for line in self.daemon("list", "--map").splitlines():
            slot, owner = line.split()
            self.slots[owner].append(slot)

    def daemon(self, *words):
        done = subprocess.run(
            [self.binary, "daemon", *words, "--database", self.database], capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"throng daemon {' '.join(words)} failed:\n{done.stdout}{done.stderr}")
        return done.stdout

    def cpu(self):
        """Seconds of the daemons, and of PostgreSQL."""
        return (
            sum(time.clock_gettime(~member.process.pid << 3 | 2) for member in self.members),
            sum(seconds(each) for each in family(self.members[0].postgres())))

    def cost(self, options, rate=None, knows_slots=True):
        """Events a second, nanoseconds of the daemons and of PostgreSQL an event, and flushes of one daemon a minute; at so many
        batches a second for each, or as many as they take."""
        failed = []
        length = options.settling + options.seconds

        def post(member):
            slots = ["--slots", ",".join(self.slots[member.id])] if knows_slots and len(self.members) > 1 else []
            found = member.bench(
                self.plan, *(["--rate", rate] if rate else ["--most"]), "--connections", 64 // len(self.members),
                "--seconds", length, "--spread", "--bodies", options.bodies, *slots, core=CORES[-1])
            failed.append(found["failed"])

        threads = [threading.Thread(target=post, args=(member,)) for member in self.members]
        before = self.figures()[0]
        for thread in threads:
            thread.start()
        # Generators make their bodies first.
        while self.figures()[0] == before and any(map(threading.Thread.is_alive, threads)):
            time.sleep(0.1)
        time.sleep(options.settling)
        start = self.figures()
        time.sleep(options.seconds)
        end = self.figures()
        for thread in threads:
            thread.join()
        if len(failed) != len(self.members):
            sys.exit("a generator failed")
        if any(failed):
            say(f"{sum(failed)} batches were not taken: the rate is too high for what is measured here")
        events, daemons, database, flushes = (after - each for after, each in zip(end, start))
        return (
            events / options.seconds, 1e9 * daemons / events, 1e9 * database / events,
            60 * flushes / len(self.members) / options.seconds)

    def figures(self):
        return (
            sum(member.events() for member in self.members), *self.cpu(), sum(member.flushes() for member in self.members))

    def stop(self):
        for member in reversed(self.members):
            member.stop()


# What this process may use when it begins; the generator has the last one.
CORES = sorted(os.sched_getaffinity(0))


def measure(options, folder, figures):
    plan = cube(folder, "members", options.buckets)
    with open(plan) as file:
        text = file.read()
    with open(plan, "w") as file:
        file.write(text.replace("rotation: 1 day", f"rotation: {options.rotation} minutes"))
    # What is started from here on inherits it.
    os.sched_setaffinity(0, CORES[:-1] or CORES)
    fleets = {count: Fleet(folder, options.binary, plan, count) for count in options.daemons}
    if not options.smoke:
        rotation = 60 * options.rotation
        begins = (time.time() // rotation + 2) * rotation
        say(f"they count once windows begin that were opened after all had joined, in {(begins - time.time()) / 60:.0f} minutes")
        time.sleep(begins + 2 - time.time())
    # What they take, and a steady rate for each.
    loads = {"most": None, f"{options.rate}/s each": options.rate}
    for turn in range(options.rounds):
        for load, rate in loads.items():
            for count, fleet in fleets.items():
                events, daemons, database, flushes = fleet.cost(options, rate)
                say(f"round {turn + 1}, {load}, {count} daemons: {daemons:.0f} and {database:.0f} ns")
                figures.note(f"{load}, {count} daemons: events/s", events)
                figures.note(f"{load}, {count} daemons: their CPU, ns an event", daemons)
                figures.note(f"{load}, {count} daemons: PostgreSQL's CPU, ns an event", database)
                figures.note(f"{load}, {count} daemons: flushes of each a minute", flushes)
    most = max(fleets)
    _, daemons, _, _ = fleets[most].cost(options, knows_slots=False)
    figures.note(f"most, {most} daemons, slots unknown: their CPU, ns an event", daemons)
    for fleet in fleets.values():
        fleet.stop()
    for load in loads:
        for count in fleets:
            if count > 1:
                figures.target(
                    f"{load}: an event's CPU with {count} daemons over one, ×",
                    figures.median(f"{load}, {count} daemons: their CPU, ns an event")
                    / figures.median(f"{load}, 1 daemons: their CPU, ns an event"), 1.1, at_most=True)
        database = figures.median(f"{load}, {most} daemons: PostgreSQL's CPU, ns an event")
        daemons = figures.median(f"{load}, {most} daemons: their CPU, ns an event")
        figures.target(
            f"{load}: PostgreSQL's share of all CPU at {most} daemons, %", 100 * database / (database + daemons), 10, at_most=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=180, help="of each round that are measured")
    parser.add_argument("--settling", type=int, default=30, help="seconds of each round before that")
    parser.add_argument("--rate", type=int, default=200, help="batches of 100 a second for each")
    parser.add_argument("--rotation", type=int, default=5, help="minutes; it begins after as many, or twice that")
    parser.add_argument("--json")
    parser.add_argument("--smoke", action="store_true", help="few events, to see that it runs")
    options = parser.parse_args()
    options.daemons, options.buckets, options.bodies = [1, 2, 4], 46, 20_000
    if options.smoke:
        options.rounds, options.seconds, options.settling, options.rate = 1, 2, 1, 20
        options.daemons, options.buckets, options.bodies = [1, 2], 10, 200
        Settings.shorten()
    options.binary = os.path.abspath(options.binary)
    figures = Figures()
    with temporary_folder() as folder:
        measure(options, folder, figures)
    figures.show(options.json)


if __name__ == "__main__":
    main()
