"""What a fault may not do: lose an acknowledged event, or count any event twice.

Every event has a cell of its own. Clients write down which batches were acknowledged and which were sent without an answer. Whatever was
broken meanwhile, PostgreSQL must end up with 1 in every cell of an acknowledged batch, 0 or 1 (the same for all of its cells) in those of
an unacknowledged one, and nothing anywhere else; and with the exact number of devices everywhere."""

import collections
import dataclasses

from house import BATCH, SIDE, say


@dataclasses.dataclass
class Tally:
    """What some trials came to. Units: events, but for `trials`."""
    trials: int = 0
    acknowledged: int = 0
    lost: int = 0
    doubled: int = 0
    unexplained: int = 0
    words: list = dataclasses.field(default_factory=list)

    def note(self, *words):
        """Something that a reader of the report should know."""
        text = " ".join(str(word) for word in words)
        if text not in self.words:
            self.words.append(text)

    def add(self, found, *words):
        """A trial is over: what was lost, doubled and left unexplained in it."""
        self.trials += 1
        if any(found):
            say("trial", self.trials - 1, *words, "lost, doubled, unexplained:", *found)

    def wrong(self, *words):
        """Something that no rule of the oracle names, and that must not be."""
        self.unexplained += 1
        self.note("WRONG:", *words)
        say("WRONG:", *words)


def judge(crowd, tally):
    """Compares PostgreSQL with what the clients know, and adds what was not said before; lost, doubled and unexplained of this
    time. The house must be drained, or have stopped in an orderly way."""
    found = crowd.house.counters()
    if found.pop(None, 0):
        tally.wrong("a counter of a bucket that nobody sent")
    width = SIDE + 1
    devices = set()
    by_x = collections.defaultdict(set)
    leaves = collections.defaultdict(set)
    before = (tally.lost, tally.doubled, tally.unexplained)
    spoilt = any(batch.judged == "wrong" for batch in crowd.batches)
    for batch in list(crowd.batches):
        values = [found.pop(cell, 0) for cell in batch.cells]
        if batch.judged != "wrong":
            twice = sum(value > 1 for value in values)
            lost = values.count(0) if batch.status == 202 else 0
            partly = values.count(0) if batch.status != 202 and 0 in values and any(values) else 0
            tally.doubled += twice
            tally.lost += lost
            tally.unexplained += partly
            if partly:
                tally.note("a batch was counted in part")
            if batch.status == 202 and batch.judged is None:
                tally.acknowledged += BATCH
                batch.judged = "acknowledged"
            if twice or lost or partly:
                batch.judged = "wrong"
        for cell, value in zip(batch.cells, values):
            if value:
                x, y, z = cell // SIDE // SIDE, cell // SIDE % SIDE, cell % SIDE
                devices.add(batch.device)
                by_x[x].add(batch.device)
                leaves[(x * width + y) * width + z].add(batch.device)
    for cell in found:
        tally.unexplained += 1
        tally.note("a cell holds a count that nobody sent")
    if not spoilt and (tally.lost, tally.doubled, tally.unexplained) == before:
        # Where counts are wrong devices are too, and need no second mention.
        expected = {(7, cell): len(each) for cell, each in leaves.items()}
        expected.update({(1, cell): len(each) for cell, each in by_x.items()})
        if devices:
            expected[(0, 0)] = len(devices)
        stored = {(int(margin), int(cell)): int(devices) for margin, cell, devices in crowd.house.sql(
                      f"select margin, cell, devices from throng.distinct_count where window_number = {crowd.window}")}
        for key in expected.keys() | stored.keys():
            if expected.get(key, 0) != stored.get(key, 0):
                tally.wrong("devices of margin and cell", key, "are", stored.get(key, 0), "instead of", expected.get(key, 0))
                break
    after = (tally.lost, tally.doubled, tally.unexplained)
    return tuple(now - then for now, then in zip(after, before))
