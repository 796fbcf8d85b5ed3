"""Whether an event costs the same after 10^8 others, and among 10^6 touched cells instead of 10^3.

Processor time of the daemon an event, at one rate throughout, so that as many batches share a sync. A daemon that has
counted nothing is measured first, then the same one once it has counted a hundred million events; and one whose metric has
10^6 cells, all of them touched, beside one whose metric has 10^3."""

from common import Settings, cube, main, plan_in, say
from servers import Throng


def cost(throng, plan, rate, seconds, *options):
    """Nanoseconds of the daemon and of PostgreSQL an event."""
    before = throng.cpu()
    found = throng.bench(plan, "--rate", rate, "--seconds", seconds, *options)
    throng.drain()
    # Warming up costs as much, and is not among the requests that it reports.
    events = 100 * rate * (seconds + Settings.warm_up)
    return tuple(1e9 * (after - each) / events for after, each in zip(throng.cpu(), before)), found


def measure(options, folder, figures):
    plan, narrow, wide = plan_in(folder), cube(folder, "narrow", 10), cube(folder, "wide", 100)
    throng = Throng(plan)
    throng.start()

    def measured(subject):
        for _ in range(options.rounds):
            (daemon, _), _ = cost(throng, plan, options.rate, options.seconds)
            figures.notes(subject, CPU__ns_an_event=daemon)

    # The first hundred thousand events warm the code; those after them are measured.
    cost(throng, plan, 250, 2)
    measured("after 10^5 events")
    while (counted := int(throng.metrics()["throng_events_accepted_total"])) < options.events:
        say(f"{counted:,} of {options.events:,} events")
        throng.bench(plan, "--most", "--seconds", max(1, min(60, (options.events - counted) // 1_000_000)))
    throng.drain()
    measured(f"after {options.events:,} events")
    throng.stop()

    throng = Throng(narrow, wide)
    throng.start()
    for cells, plan in ("10^3", narrow), ("10^6", wide):
        # Enough events that next to every cell is touched: six times as many events as cells leave out 1 in 400.
        while plan == wide and throng.metrics()["throng_events_accepted_total"] < options.touches:
            throng.bench(plan, "--spread", "--most", "--bodies", options.bodies, "--seconds", options.seconds)
        throng.drain()
        for _ in range(options.rounds):
            (daemon, database), found = cost(throng, plan, options.rate, options.seconds, "--spread", "--bodies", options.bodies)
            figures.notes(f"{cells} cells", CPU__ns_an_event=daemon, CPU_of_PostgreSQL__ns_an_event=database,
                          p99_of_the_answer__ms=found["milliseconds"]["p99"])

    def ratio(late, early):
        return figures.median(f"{late}: CPU, ns an event") / figures.median(f"{early}: CPU, ns an event")

    events = f"after {options.events:,} events"
    figures.target(f"CPU an event {events} over that after 10^5, ×", ratio(events, "after 10^5 events"), 1.15, 1.05, at_most=True)
    figures.target("CPU an event at 10^6 cells over that at 10^3, ×", ratio("10^6 cells", "10^3 cells"), 2, 1.3, at_most=True)


if __name__ == "__main__":
    main(__doc__, measure, rounds=(5, 1, ""), seconds=(5, 1, ""), rate=(2000, 50, "batches of 100 a second"),
         events=(100_000_000, 200_000, "that come before"), touches=(6_000_000, 0, "events that touch cells"), bodies=(20_000, 200, ""))
