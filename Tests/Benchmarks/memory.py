"""What a pair of identifier and cell takes of the daemon's memory while its window is open.

Through the wire: what a daemon takes more than a fresh one once its window holds the pairs, everything is in PostgreSQL, and
nobody posts; and at most on the way. In one process: counting alone, for identifiers that send one batch or ten."""

import argparse
import os

from common import Figures, Settings, lines, plan_in, say, temporary_folder
from servers import Throng


def through_the_wire(options, folder, figures, plan):
    throng = Throng(os.path.join(folder, "throng"), options.binary, plan)
    throng.start()
    try:
        # A fresh daemon that has warmed up.
        throng.bench(plan, "--rate", 100, "--seconds", 1, "--events-per-batch", 1)
        throng.settle()
        fresh = throng.memory()[0]
        while (pairs := throng.metrics()["throng_open_pairs"]) < options.pairs:
            say(f"{pairs:,.0f} of {options.pairs:,} pairs")
            throng.bench(plan, "--most", "--events-per-batch", 1, "--seconds", options.seconds)
        throng.settle()
        now, peak = throng.memory()
        figures.note("daemon: pairs, millions", pairs / 1e6)
        figures.note("daemon: bytes a pair", (now - fresh) / pairs)
        figures.note("daemon: bytes a pair at the peak", (peak - fresh) / pairs)
    finally:
        throng.stop()


def measure(options, folder, figures):
    plan = plan_in(folder)
    for title, shape in (
        ("one event each", ("--events", "1")),
        ("one batch of 100 events each", ("--events", "100")),
        ("ten batches of one event each", ("--events", "1", "--each", "10")),
    ):
        found = lines(
            options.bench, "memory", "--plan", plan, *Settings.devices, "--pairs", str(options.pairs), *shape)[0]
        figures.note(f"in process, {title}: bytes a pair", found["steadyPerPair"])
        figures.note(f"in process, {title}: bytes a pair at the peak", found["peakPerPair"])
    through_the_wire(options, folder, figures, plan)
    for title, name in (
        ("bytes a pair, counting alone", "in process, one event each: bytes a pair"),
        ("bytes a pair, the whole daemon", "daemon: bytes a pair"),
        ("bytes a pair, the whole daemon at its peak", "daemon: bytes a pair at the peak"),
    ):
        figures.target(title, figures.median(name), 24, 12, at_most=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--bench", required=True, help="StageBench")
    parser.add_argument("--pairs", type=int, default=10_000_000)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--json")
    parser.add_argument("--smoke", action="store_true", help="few pairs, to see that it runs")
    options = parser.parse_args()
    if options.smoke:
        options.pairs, options.seconds = 20_000, 1
        Settings.shorten()
    options.binary, options.bench = os.path.abspath(options.binary), os.path.abspath(options.bench)
    figures = Figures()
    with temporary_folder() as folder:
        measure(options, folder, figures)
    figures.show(options.json)


if __name__ == "__main__":
    main()
