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

    def journal(name, *shape):
        data = os.path.join(folder, name)
        found = lines(
            options.bench, "journal", "--plan", plan, *Settings.devices, "--amount", str(options.events), *shape, data)
        say(name, found[0])
        return data

    empty = os.path.join(folder, "none")
    starts(options, plan, empty, lambda seconds, _: figures.note("start without a journal, s", seconds))
    idle = figures.median("start without a journal, s")
    for title, name, shape in (
        ("batches of 100", "hundred", ("--events", "100")),
        ("batches of 1 to 10", "few", ("--events", "10", "--varied")),
    ):
        data = journal(name, *shape)

        def away(seconds, memory):
            figures.note(f"{title}, PostgreSQL away: replay, s", seconds - idle)
            figures.note(f"{title}, PostgreSQL away: peak memory, MB", memory[1] / 1e6)

        starts(options, plan, data, away)
        for _ in range(options.rounds):
            found = lines(options.bench, "replay", "--plan", plan, *Settings.devices, data)[0]
            figures.note(f"{title}, watermark known, in process: replay, s", found["seconds"])
        figures.target(
            f"{options.events:,} events in {title}, PostgreSQL away, s",
            figures.median(f"{title}, PostgreSQL away: replay, s"), 5, 1, at_most=True)
        figures.target(
            f"{options.events:,} events in {title}, watermark known, s",
            figures.median(f"{title}, watermark known, in process: replay, s"), 5, 1, at_most=True)


def day(options, folder, figures):
    """A day's window, with its checkpoint."""
    plan = plan_in(folder)
    data = os.path.join(folder, "day")
    crowd = ["--identifiers", str(max(1, options.batches // 5))]
    made = lines(
        options.bench, "window", "--plan", plan, *Settings.devices, *crowd, "--batches", str(options.batches), data)[0]
    say("day", made)
    figures.note("day: batches, millions", made["batches"] / 1e6)
    figures.note("day: pairs, millions", made["pairs"] / 1e6)
    figures.note("day: journal, MB", made["journalBytes"] / 1e6)
    figures.note("day: checkpoint, MB", made["checkpointBytes"] / 1e6)
    figures.note("day: written into checkpoints, MB", made["writtenBytes"] / 1e6)
    figures.note("day: batches behind the checkpoint, millions", made["behind"] / 1e6)
    empty = os.path.join(folder, "none of a day")
    starts(options, plan, empty, lambda seconds, _: figures.note("day: start without a journal, s", seconds))
    idle = figures.median("day: start without a journal, s")

    def note(title):
        def notes(seconds, memory):
            figures.note(f"day, {title}: deaf, s", seconds - idle)
            figures.note(f"day, {title}: memory, MB", memory[0] / 1e6)
            figures.note(f"day, {title}: peak memory, MB", memory[1] / 1e6)

        return notes

    starts(options, plan, data, note("from its checkpoint"))
    for _ in range(options.rounds):
        found = lines(options.bench, "replay", "--plan", plan, *Settings.devices, "--checkpoint", data)[0]
        figures.note("day, watermark known, in process: s", found["seconds"])
        figures.note("day, watermark known, in process: of that for the checkpoint, s", found["restoring"])
    figures.target(
        f"{made['batches']:,} batches of a day's window, deaf, s",
        figures.median("day, from its checkpoint: deaf, s"), 10, 2, at_most=True)
    options.rounds = 1
    starts(options, plan, data, note("without it"), THRONG_TEST_JOURNAL_CHECKPOINT_BYTES="0")
    cost = lines(
        options.bench, "checkpoint", "--plan", plan, *Settings.devices, *crowd, "--batches", str(options.batches // 2))[0]
    say("checkpoint", cost)
    figures.note("checkpoint: batches in the window, millions", cost["batches"] / 1e6)
    figures.note("checkpoint: MB", cost["bytes"] / 1e6)
    figures.note("checkpoint: s", cost["seconds"])
    figures.note("checkpoint: processor, s", cost["cpuSeconds"])
    figures.note("checkpoint: memory on top, MB", cost["extraBytes"] / 1e6)
    figures.note("counting alone: longest batch, ms", cost["longestAlone"] * 1e3)
    figures.note("counting beside a checkpoint: longest batch, ms", cost["longestBeside"] * 1e3)
    figures.note("counting beside a checkpoint: batches above 10 ms", cost["overTenMilliseconds"])


def run(options, folder, figures):
    if not options.window:
        measure(options, folder, figures)
    day(options, folder, figures)


if __name__ == "__main__":
    main(__doc__, run, ["bench"], rounds=(3, 1, ""), events=(10_000_000, 20_000, ""),
         batches=(10_000_000, 120_000, "of the day's window"), window=(False, False, "the day's window alone"))
