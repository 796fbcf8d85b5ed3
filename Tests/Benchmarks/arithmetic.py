"""How many daemons, how much memory and disk so many devices a day take: arithmetic on figures that were measured.

Prints the tables of Operations and Performance, in Markdown, or a line for what you name. Nothing is measured here: the figures are those
of the pages that they stand on, unless you bring your own, from Deploy/bench members, memory and replay or from your daemon's metrics."""

import argparse
import dataclasses
import math

DAY = 86400


@dataclasses.dataclass
class Figures:
    """What was measured. Units: bytes, unless it says another."""
    # Watching.md: throng_open_pairs.
    pair: int = 13
    identifier: int = 25
    batch: int = 38
    # Settings.md, of three windows.
    journal_event: int = 40
    # Installing.md, of two windows.
    checkpoint_batch: int = 24
    checkpoint_pair: int = 8
    checkpoint_identifier: int = 16
    # Batches that a core takes, direct ones of 4 events. Unit: batches a second.
    core: int = 5000
    # What a start without a checkpoint takes of memory over what open windows take.
    start: float = 3.4
    # What a start reads of a checkpoint and, without one, replays of the journal. Units: bytes and batches a second.
    restored: float = 400e6
    replayed: float = 370e3


@dataclasses.dataclass
class Devices:
    """Those of an app. Units: each a device and day."""
    events: int = 20
    batches: int = 5
    # Pairs of identifier and cell that numbers of devices are known of, and metrics in which an identifier has such.
    pairs: int = 10
    metrics: int = 5
    # The busiest second over the mean.
    peak: float = 3
    # What part of a day's devices the busiest hour has.
    hour: float = 1 / 8


@dataclasses.dataclass
class Machine:
    """One with a daemon. Unit of memory: bytes."""
    cores: int = 2
    memory: float = 12e9


@dataclasses.dataclass
class Size:
    """What so many devices a day take. Units: a second, bytes, daemons, seconds."""
    mean: float
    peak: float
    memory: float
    journal: float
    checkpoint: float
    by_processor: int
    by_memory: int
    daemons: int
    deaf: float
    deaf_without: float


def size(devices, of=Devices(), machine=Machine(), by=Figures(), hourly=False):
    """What a number of devices a day takes, with windows of a day or of an hour."""
    part = of.hour if hourly else 1
    mean = devices * of.batches / DAY
    window = part * devices
    memory = 2 * window * (of.pairs * by.pair + of.metrics * by.identifier + of.batches * by.batch)
    checkpoint = 2 * window * (of.batches * by.checkpoint_batch + of.pairs * by.checkpoint_pair + of.metrics * by.checkpoint_identifier)
    by_processor = math.ceil(of.peak * mean / (by.core * machine.cores))
    by_memory = math.ceil(by.start * memory / machine.memory)
    daemons = max(by_processor, by_memory)
    return Size(mean, of.peak * mean, memory, 3 * window * of.events * by.journal_event, checkpoint, by_processor, by_memory, daemons,
                checkpoint / daemons / by.restored, 2 * window * of.batches / daemons / by.replayed)


def amount(number):
    """Two digits, as people read them."""
    for unit, name in (1e12, " TB"), (1e9, " GB"), (1e6, " MB"):
        if number >= unit * 0.95:
            return f"{float(f'{number / unit:.2g}'):,.15g}{name}"
    return f"{float(f'{number:.2g}'):,.15g}"


def people(number):
    return f"{number / 1e9:,.15g} billion" if number >= 1e9 else (f"{number / 1e6:,.15g} million" if number >= 1e6 else f"{number:,.15g}")


def table(counts, of, machine, by):
    """Of each number of devices a row, with windows of a day and of an hour."""
    lines = [
        "| devices a day | batches a second, on average and at the peak | windows of a day: memory, journal, daemons | windows of an hour: "
        "memory, journal, daemons | a start of one of these: from its checkpoint, without |",
        "|---|---|---|---|---|"]
    for count in counts:
        day, hour = size(count, of, machine, by), size(count, of, machine, by, hourly=True)
        cells = [people(count), f"{amount(day.mean)}, {amount(day.peak)}",
                 *(f"{amount(each.memory)}, {amount(each.journal)}, {each.daemons}" for each in (day, hour)),
                 f"{math.ceil(hour.deaf)} s, {math.ceil(hour.deaf_without)} s"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("devices", nargs="*", type=float, help="devices a day", default=[1e5, 1e6, 5e6, 5e7, 5e8, 1e9])
    groups = {"of": Devices, "machine": Machine, "by": Figures}
    for kind in groups.values():
        for field in dataclasses.fields(kind):
            parser.add_argument(
                "--" + field.name.replace("_", "-"), type=type(field.default), default=field.default, help=f"({field.default})")
    options = parser.parse_args()
    known = {name: kind(**{field.name: getattr(options, field.name) for field in dataclasses.fields(kind)})
             for name, kind in groups.items()}
    print(table(options.devices, **known))


if __name__ == "__main__":
    main()
