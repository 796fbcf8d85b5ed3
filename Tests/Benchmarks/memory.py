"""What a pair of identifier and cell takes of the daemon's memory while its window is open.

Through the wire: what a daemon takes more than a fresh one once its window holds the pairs, everything is in PostgreSQL, and
nobody posts; and at most on the way. In one process: counting alone, for identifiers that send one batch or ten."""

from common import Settings, lines, main, plan_in, say
from servers import Throng


def through_the_wire(options, figures, plan):
    throng = Throng(plan)
    throng.start()
    # A fresh daemon that has warmed up.
    throng.bench(plan, "--rate", 100, "--seconds", 1, "--events-per-batch", 1)
    throng.drain()
    fresh = throng.memory()[0]
    while (pairs := throng.metrics()["throng_open_pairs"]) < options.pairs:
        say(f"{pairs:,.0f} of {options.pairs:,} pairs")
        throng.bench(plan, "--most", "--events-per-batch", 1, "--seconds", options.seconds)
    throng.drain()
    now, peak = throng.memory()
    figures.notes("daemon", pairs__millions=pairs / 1e6, bytes_a_pair=(now - fresh) / pairs,
                  bytes_a_pair_at_the_peak=(peak - fresh) / pairs)


def measure(options, folder, figures):
    plan = plan_in(folder)
    for title, *shape in (("one event each", "--events", "1"), ("one batch of 100 events each", "--events", "100"),
                          ("ten batches of one event each", "--events", "1", "--each", "10")):
        found = lines(options.bench, "memory", "--plan", plan, *Settings.devices, "--pairs", str(options.pairs), *shape)[0]
        figures.notes(f"in process, {title}", bytes_a_pair=found["steadyPerPair"], bytes_a_pair_at_the_peak=found["peakPerPair"])
    through_the_wire(options, figures, plan)
    for title, name in (("bytes a pair, counting alone", "in process, one event each: bytes a pair"),
                        ("bytes a pair, the whole daemon", "daemon: bytes a pair"),
                        ("bytes a pair, the whole daemon at its peak", "daemon: bytes a pair at the peak")):
        figures.target(title, figures.median(name), 24, 12, at_most=True)


if __name__ == "__main__":
    main(__doc__, measure, ["bench"], pairs=(10_000_000, 20_000, "of identifier and cell"), seconds=(10, 1, "of each load"))
