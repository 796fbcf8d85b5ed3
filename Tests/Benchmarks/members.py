"""What an event costs where several daemons count into one PostgreSQL: 1, 2 and 4 of them, with as many events altogether.

Each gets the identifiers that it counts, as from a balancer that knows slots, and all of them touch the same 10^5 cells. Processor
time of the daemons and of PostgreSQL an event; rounds of all numbers of daemons take turns, so that what the machine does otherwise
meets all of them. One more figure is what it costs where nobody knows slots, and all but one of four batches is handed on."""

import argparse
import os
import subprocess
import sys
import threading
import time

from common import Figures, Settings, cube, say, temporary_folder
from servers import Throng, family, free_port, seconds

# The shortest there is, so that who joins counts soon.
ROTATION = 60


class Member(Throng):
    """A daemon that others reach."""

    def start(self):
        self.options = ["--members", f"127.0.0.1:{free_port()}"]
        super().start()

    @property
    def id(self):
        with open(os.path.join(self.data, "daemon.id")) as file:
            return file.read()[:36].lower()


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
        for line in self.daemon("map").splitlines():
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

    def cost(self, rate, length, *options, knows_slots=True):
        """Nanoseconds of the daemons and of PostgreSQL an event."""
        before = self.cpu()
        failed = []

        def post(member):
            slots = ["--slots", ",".join(self.slots[member.id])] if knows_slots and len(self.members) > 1 else []
            found = member.bench(self.plan, "--rate", rate / len(self.members), "--seconds", length, *slots, *options)
            failed.append(found["failed"])

        threads = [threading.Thread(target=post, args=(member,)) for member in self.members]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if len(failed) != len(self.members):
            sys.exit("a generator failed")
        for member in self.members:
            member.settle()
        events = 100 * rate * (length + Settings.warm_up)
        return [1e9 * (after - each) / events for after, each in zip(self.cpu(), before)]

    def stop(self):
        for member in reversed(self.members):
            member.stop()


def measure(options, folder, figures):
    plan = cube(folder, "members", options.buckets)
    with open(plan) as file:
        text = file.read()
    with open(plan, "w") as file:
        file.write(text.replace("rotation: 1 day", f"rotation: {ROTATION // 60} minute"))
    fleets = {count: Fleet(folder, options.binary, plan, count) for count in options.daemons}
    if not options.smoke:
        say("they count once windows begin that were opened after all had joined")
        time.sleep(2 * ROTATION - time.time() % ROTATION + 2)
    words = ["--spread", "--bodies", str(options.bodies)]
    for count, fleet in fleets.items():
        # Cells are touched first, in PostgreSQL too.
        fleet.cost(options.rate, options.seconds, *words)
    for _ in range(options.rounds):
        for count, fleet in fleets.items():
            daemons, database = fleet.cost(options.rate, options.seconds, *words)
            figures.note(f"{count} daemons: CPU of all of them, ns an event", daemons)
            figures.note(f"{count} daemons: CPU of PostgreSQL, ns an event", database)
    most = max(fleets)
    for _ in range(options.rounds):
        daemons, _ = fleets[most].cost(options.rate, options.seconds, *words, knows_slots=False)
        figures.note(f"{most} daemons, slots unknown: CPU of all of them, ns an event", daemons)
    for fleet in fleets.values():
        fleet.stop()
    one = figures.median("1 daemons: CPU of all of them, ns an event")
    for count in fleets:
        if count > 1:
            figures.target(
                f"CPU an event of {count} daemons over that of one, ×",
                figures.median(f"{count} daemons: CPU of all of them, ns an event") / one, 1.1, at_most=True)
    database = figures.median(f"{most} daemons: CPU of PostgreSQL, ns an event")
    figures.target(
        f"PostgreSQL's share of all CPU at {most} daemons, %",
        100 * database / (database + figures.median(f"{most} daemons: CPU of all of them, ns an event")), 10, at_most=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--rate", type=int, default=400, help="batches of 100 a second, altogether")
    parser.add_argument("--json")
    parser.add_argument("--smoke", action="store_true", help="few events, to see that it runs")
    options = parser.parse_args()
    options.daemons, options.buckets, options.bodies = [1, 2, 4], 46, 20_000
    if options.smoke:
        options.rounds, options.seconds, options.rate = 1, 1, 20
        options.daemons, options.buckets, options.bodies = [1, 2], 10, 200
        Settings.shorten()
    options.binary = os.path.abspath(options.binary)
    figures = Figures()
    with temporary_folder() as folder:
        measure(options, folder, figures)
    figures.show(options.json)


if __name__ == "__main__":
    main()
