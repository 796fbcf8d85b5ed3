"""How long a start takes that finds a journal of ten million events, or a day's window of ten million batches.

The journal is written by the daemon's own code, in one process without a network, in two shapes: batches of 100 events, and
batches of 1 to 10 in turn. Then a daemon is started on it and killed with kill -9, again and again, with PostgreSQL away, so
that its watermark is not known; what a start takes without a journal is measured beside it and taken off. With the watermark
known the same code is timed in a process of its own.

The day's window is of two million devices, five batches of four events each, with the checkpoints that a daemon writes. It is
started with its checkpoint, and once without; and what a checkpoint costs those who count meanwhile is measured in a process of
its own. --window leaves the rest out."""

import os

from common import Settings, lines, main, plan_in, say
from servers import Throng

# Nothing listens there.
AWAY = "host=127.0.0.1 port=1 dbname=throng"


def starts(options, plan, data, note, **settings):
    """Starts a daemon on a data directory and kills it, as often as there are rounds."""
    for _ in range(options.rounds):
        daemon = Throng(plan, data=data, database=AWAY, THRONG_JOURNAL_CAP_BYTES=str(1 << 40), **settings)
        seconds = daemon.start()
        note(seconds, daemon.memory())
        daemon.kill()


def measure(options, folder, figures):
    plan = plan_in(folder)
    starts(options, plan, os.path.join(folder, "none"), lambda seconds, _: figures.note("start without a journal, s", seconds))
    idle = figures.median("start without a journal, s")
    for title, *shape in ("batches of 100", "--events", "100"), ("batches of 1 to 10", "--events", "10", "--varied"):
        data = os.path.join(folder, title)
        made = lines(options.bench, "journal", "--plan", plan, *Settings.devices, "--amount", str(options.events), *shape, data)
        say(title, made[0])

        def away(seconds, memory):
            figures.notes(f"{title}, PostgreSQL away", replay__s=seconds - idle, peak_memory__MB=memory[1] / 1e6)

        starts(options, plan, data, away)
        for _ in range(options.rounds):
            found = lines(options.bench, "replay", "--plan", plan, *Settings.devices, data)[0]
            figures.note(f"{title}, watermark known, in process: replay, s", found["seconds"])
        for name, where in (("PostgreSQL away", ""), ("watermark known", ", in process")):
            took = figures.median(f"{title}, {name}{where}: replay, s")
            figures.target(f"{options.events:,} events in {title}, {name}, s", took, 5, 1, at_most=True)


def day(options, folder, figures):
    """A day's window, with its checkpoint."""
    plan = plan_in(folder)
    data = os.path.join(folder, "day")
    crowd = ["--identifiers", str(max(1, options.batches // 5))]
    made = lines(options.bench, "window", "--plan", plan, *Settings.devices, *crowd, "--batches", str(options.batches), data)[0]
    say("day", made)
    figures.notes(
        "day", batches__millions=made["batches"] / 1e6, pairs__millions=made["pairs"] / 1e6, journal__MB=made["journalBytes"] / 1e6,
        checkpoint__MB=made["checkpointBytes"] / 1e6, written_into_checkpoints__MB=made["writtenBytes"] / 1e6,
        batches_behind_the_checkpoint__millions=made["behind"] / 1e6)
    empty = os.path.join(folder, "none of a day")
    starts(options, plan, empty, lambda seconds, _: figures.note("day: start without a journal, s", seconds))
    idle = figures.median("day: start without a journal, s")

    def note(title):
        return lambda seconds, memory: figures.notes(
            f"day, {title}", deaf__s=seconds - idle, memory__MB=memory[0] / 1e6, peak_memory__MB=memory[1] / 1e6)

    starts(options, plan, data, note("from its checkpoint"))
    for _ in range(options.rounds):
        found = lines(options.bench, "replay", "--plan", plan, *Settings.devices, "--checkpoint", data)[0]
        figures.notes("day, watermark known, in process", s=found["seconds"], of_that_for_the_checkpoint__s=found["restoring"])
    deaf = figures.median("day, from its checkpoint: deaf, s")
    figures.target(f"{made['batches']:,} batches of a day's window, deaf, s", deaf, 10, 2, at_most=True)
    options.rounds = 1
    starts(options, plan, data, note("without it"), THRONG_TEST_JOURNAL_CHECKPOINT_BYTES="0")
    cost = lines(options.bench, "checkpoint", "--plan", plan, *Settings.devices, *crowd, "--batches", str(options.batches // 2))[0]
    say("checkpoint", cost)
    figures.notes("checkpoint", batches_in_the_window__millions=cost["batches"] / 1e6, MB=cost["bytes"] / 1e6, s=cost["seconds"],
                  processor__s=cost["cpuSeconds"], memory_on_top__MB=cost["extraBytes"] / 1e6)
    figures.notes("counting alone", longest_batch__ms=cost["longestAlone"] * 1e3)
    figures.notes("counting beside a checkpoint", longest_batch__ms=cost["longestBeside"] * 1e3,
                  batches_above_10_ms=cost["overTenMilliseconds"])


def run(options, folder, figures):
    if not options.window:
        measure(options, folder, figures)
    day(options, folder, figures)


if __name__ == "__main__":
    main(__doc__, run, ["bench"], rounds=(3, 1, ""), events=(10_000_000, 20_000, ""),
         batches=(10_000_000, 120_000, "of the day's window"), window=(False, False, "the day's window alone"))
