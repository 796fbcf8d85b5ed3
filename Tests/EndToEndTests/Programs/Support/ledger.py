"""What was done in the browser, as cells, beside what PostgreSQL has."""

import collections
import json

from daemon import say, until


class Ledger:
    """What was done, as cells; compared with what PostgreSQL has."""

    def __init__(self, house):
        self.house = house
        self.expected = collections.Counter()

    def view(self, page, screen, device="desktop", visit=None, times=1):
        self.expected["views", page, screen] += times
        self.expected["devices", device] += times
        if visit:
            self.expected[("visits", *visit)] += times

    def add(self, *cell, times=1):
        self.expected[cell] += times

    def found(self):
        layouts = {}
        for metric_id, text in self.house.sql("select metric_id, layout from throng.metric_layout"):
            layout = json.loads(text)
            layouts[metric_id] = (layout["metric"], [each["labels"] for each in layout["dimensions"]])
        found = collections.Counter()
        for metric_id, measure, cell, value in self.house.sql(
                "select metric_id, measure, cell, value from throng.counter where value <> 0"):
            metric, dimensions = layouts[metric_id]
            labels, rest = [], int(cell)
            for names in reversed(dimensions):
                rest, place = divmod(rest, len(names))
                labels.insert(0, names[place])
            found[(metric + ("" if measure == "0" else "." + measure), *labels)] += int(value)
        return found

    def difference(self):
        """Cells that are not as expected: what they should be, and what PostgreSQL has."""
        self.house.drain()
        found = self.found()
        cells = {**self.expected, **found}
        return {cell: (self.expected[cell], found[cell]) for cell in cells if self.expected[cell] != found[cell]}

    def holds(self, what):
        until(lambda: not self.difference(), what, "- expected and found differ:", self.difference, seconds=400, pause=0.2)
        say(what)


def screen_of(browser):
    side = browser.run("return Math.min(screen.width, screen.height)")
    return "small" if side < 600 else "medium" if side < 1024 else "large"
