"""What an event costs where 1, 2 and 4 daemons count into one PostgreSQL: with as many events as they take, and with as many events for
each.

Each gets the identifiers that it counts, as from a balancer that knows slots, and all of them touch the same 10^5 cells. Processor time of
the daemons and of PostgreSQL an event, over minutes of a load that goes on, flushes included as they come; rounds of all numbers of daemons
take turns, so that what the machine does otherwise meets all of them. The generator has a core of its own, the others are for all that is
measured. One more figure is what it costs where nobody knows slots, and all but one of four batches is handed on."""

import os
import sys
import threading
import time

from common import cube, main, say
from servers import Measured, family, seconds

import daemon  # noqa: E402, as is this
import fleet  # noqa: E402, it is in a folder that the others have named


class Member(Measured, fleet.Member):
    """A daemon that others reach."""

    def figures(self):
        """Events that it has accepted, its seconds of processor time, and its flushes."""
        found = self.metrics()
        return found["throng_events_accepted_total"], self.own_cpu(), found["throng_flushes_total"]


class Fleet(fleet.Fleet):
    """So many daemons of one PostgreSQL."""

    def __init__(self, plan, count):
        self.path = plan
        super().__init__(daemon.read(plan), names=())
        for number in range(count):
            self.members[number] = Member(self, number)
            self.members[number].start()
            if number:
                self.join(number)
        self.slots = {member.id: [] for member in self.members.values()}
        for line in self.map().splitlines():
            slot, owner = line.split()
            self.slots[owner].append(slot)

    def cost(self, options, rate=None, knows_slots=True):
        """Events a second, nanoseconds of the daemons and of PostgreSQL an event, and flushes of one daemon a minute; at so many
        batches a second for each, or as many as they take."""
        failed, count = [], len(self.members)
        length = options.settling + options.seconds

        def post(member):
            slots = ["--slots", ",".join(self.slots[member.id])] if knows_slots and count > 1 else []
            found = member.bench(self.path, *(["--rate", rate] if rate else ["--most"]), "--connections", 64 // count,
                                 "--seconds", length, "--spread", "--bodies", options.bodies, *slots, core=CORES[-1])
            failed.append(found["failed"])

        threads = [threading.Thread(target=post, args=(member,)) for member in self.members.values()]
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
        if len(failed) != count:
            sys.exit("a generator failed")
        if any(failed):
            say(f"{sum(failed)} batches were not taken: the rate is too high for what is measured here")
        events, daemons, database, flushes = (after - each for after, each in zip(end, start))
        return (events / options.seconds, 1e9 * daemons / events, 1e9 * database / events, 60 * flushes / count / options.seconds)

    def figures(self):
        """Events, seconds of the daemons and of PostgreSQL, and flushes so far."""
        events, daemons, flushes = map(sum, zip(*(member.figures() for member in self.members.values())))
        postgres = int(daemon.read(self.postgres.folder, "data", "postmaster.pid").split()[0])
        return events, daemons, sum(map(seconds, family(postgres))), flushes


# What this process may use when it begins; the generator has the last one.
CORES = sorted(os.sched_getaffinity(0))


def measure(options, folder, figures):
    plan = cube(folder, "members", options.buckets)
    text = daemon.read(plan)
    daemon.write(plan, text.replace("rotation: 1 day", f"rotation: {options.rotation} minutes"))
    # What is started from here on inherits it.
    os.sched_setaffinity(0, CORES[:-1] or CORES)
    fleets = {count: Fleet(plan, count) for count in ([1, 2] if options.smoke else [1, 2, 4])}
    if not options.smoke:
        rotation = 60 * options.rotation
        begins = (time.time() // rotation + 2) * rotation
        say(f"they count once windows begin that were opened after all had joined, in {(begins - time.time()) / 60:.0f} minutes")
        time.sleep(begins + 2 - time.time())
    # What they take, and a steady rate for each.
    loads = {"most": None, f"{options.rate}/s each": options.rate}
    for turn in range(options.rounds):
        for load, rate in loads.items():
            for count, each in fleets.items():
                events, daemons, database, flushes = each.cost(options, rate)
                say(f"round {turn + 1}, {load}, {count} daemons: {daemons:.0f} and {database:.0f} ns")
                figures.notes(f"{load}, {count} daemons", **{
                    "events/s": events, "their CPU, ns an event": daemons, "PostgreSQL's CPU, ns an event": database,
                    "flushes of each a minute": flushes})
    most = max(fleets)
    figures.note(f"most, {most} daemons, slots unknown: their CPU, ns an event", fleets[most].cost(options, knows_slots=False)[1])
    for each in fleets.values():
        each.clean()
    for load in loads:
        costs = {count: figures.median(f"{load}, {count} daemons: their CPU, ns an event") for count in fleets}
        for count in [count for count in fleets if count > 1]:
            figures.target(f"{load}: an event's CPU with {count} daemons over one, ×", costs[count] / costs[1], 1.1, at_most=True)
        database = figures.median(f"{load}, {most} daemons: PostgreSQL's CPU, ns an event")
        share = 100 * database / (database + costs[most])
        figures.target(f"{load}: PostgreSQL's share of all CPU at {most} daemons, %", share, 10, at_most=True)


if __name__ == "__main__":
    main(__doc__, measure, rounds=(1, 1, ""), seconds=(180, 2, "of each round that are measured"),
         settling=(30, 1, "seconds of each round before that"), rate=(200, 20, "batches of 100 a second for each"),
         rotation=(5, 5, "minutes; it begins after as many, or twice that"), buckets=(46, 10, ""), bodies=(20_000, 200, ""))
