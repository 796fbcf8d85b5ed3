"""Eight days of a town and their releases, and all that anyone was given of them."""

import os

import published
from daemon import check, say
from targets import HOUR, METRICS
from town import DAY, MONDAY, Metric, plan_text


class World:
    def __init__(self, town, folder, naive_folder):
        self.town = town
        self.folder = folder
        self.naive_folder = naive_folder
        self.facts = []
        self.drawn_facts = []
        self.late_findings = []
        self.edge_findings = []

    def read(self):
        """Reads everything that anyone was given."""
        self.facts = published.views(self.town.house)
        known = {fact.cell: fact.lower for fact in self.facts if fact.cell}
        for name in sorted(os.listdir(self.folder)):
            if not name.endswith(".json"):
                continue
            for fact in published.report(os.path.join(self.folder, name)):
                if fact.cell and fact.cell not in known:
                    # What views and reports say apart from each other is an attack's to use, too.
                    say("only in a report:", fact)
                self.facts.append(fact)
        # A number with a margin is no equation over what was counted.
        self.drawn_facts = [fact for fact in self.facts if METRICS[fact.terms[0][1][0]].has_margin]
        self.facts = [fact for fact in self.facts if not METRICS[fact.terms[0][1][0]].has_margin]

    def overlaps(self):
        """Releases of one metric and layout that share days and neither of which holds the other."""
        rows = self.town.house.sql(
            "select a.metric, a.period_start, a.period_kind, b.period_start, b.period_kind"
            " from analyst.releases as a join analyst.releases as b on a.view_name = b.view_name"
            " where a.period_start < b.period_start and b.period_start < a.period_end and a.period_end < b.period_end"
            " or a.period_start = b.period_start and a.period_end = b.period_end and a.digest < b.digest")
        return [(row[0], row[2] + " " + row[1], row[4] + " " + row[3]) for row in rows]

    def accepts(self, what, change):
        """A finding if a plan that asks for it passes the check."""
        path = os.path.join(self.town.house.folder, "asks.yaml")
        with open(path, "w") as file:
            file.write(plan_text(METRICS.values(), change))
        code, out, _ = self.town.clock.run("plan", "check", path)
        os.unlink(path)
        return [] if code == 2 and "days" in out else [f"a plan may ask for {what}: plan check ended with {code}: {out}"]


def send_shifts(town, windows):
    at = {"event": "shifts", "at": "2026-03-02T12:00:00Z"}
    for window in windows:
        for device in range(2):
            # The same device shows another identifier in each window.
            town.post(f"b{device} in {window}", [{**at, "fields": {"shade": "b"}}], "hourly", window)


def live(world):
    """Eight days and their releases, as the town lives them."""
    town, clock, house = world.town, world.town.clock, world.town.house
    everyday = [metric for metric in METRICS.values() if metric.heard and metric.name not in ("edges", "shifts")]
    hour = clock.now() // 3600
    town.send(everyday, 0)
    town.send(everyday, 1)
    for place in range(20):
        town.post(f"a{place}", [
            {"event": "shifts", "at": "2026-03-02T12:00:00Z", "fields": {"shade": "a"}}], "hourly")
    send_shifts(town, range(hour - 1, hour + 2))
    clock.move(clock.now() + 3 * 3600)
    send_shifts(town, range(hour + 2, hour + 5))
    town.release()
    say("the first two days are released")

    before = {fact.cell: fact.lower for fact in published.views(house)}
    for device in range(2):
        town.post(f"late{device}", [
            {"event": "late", "at": "2026-03-02T12:00:00Z", "fields": {"shade": "a"}}])
    talk = town.release()
    if "late" in talk:
        world.late_findings.append(f"late events made another release: {talk}")
    if before != {fact.cell: fact.lower for fact in published.views(house)}:
        world.late_findings.append("late events changed a release")
    for day in (2, 4, 6):
        clock.move(MONDAY + (day + 2) * DAY + 1800)
        town.send([each for each in everyday if day in each.crowd or day + 1 in each.crowd], day)
        town.send(everyday, day + 1)
        town.release()
    # They count on the day on which they came.
    METRICS["late"].crowd[2][("a",)] += 2
    arrived = [
        fact for fact in published.views(house) if fact.cell and fact.cell[0] == "late" and fact.cell[2] == (2,)]
    if not any(fact.cell[3] == () and fact.lower == METRICS["late"].events((2,), {}) for fact in arrived):
        world.late_findings.append(f"late events do not count on the day on which they came: {[str(each) for each in arrived]}")
    say("eight days are released")

    # A new edge from the plan, in the middle of a day.
    clock.move(MONDAY + 8 * DAY + 13 * 3600)
    town.send([METRICS["edges"]], 8)
    town.call(8, HOUR, 20, "call")
    house.drain()
    check(house.stop() == 0, "serve stops gracefully")
    with open(house.plan, "w") as file:
        file.write(plan_text(METRICS.values(), lambda plan: plan["dimensions"]["youth"].update(bands=[31])))
    house.start()
    moved = Metric("edges", ["youth"], days={8: {("<31",): 23, (">=31",): 30}}, sends=lambda atom: {
        "age": 30 if atom == ("<31",) else 40})
    town.send([moved], 8, tag="moved")
    clock.move(MONDAY + 8 * DAY + 14 * 3600 + 1800)
    town.release()
    # Its hour is released, its day is not.
    town.call(8, HOUR, 1, "late-call")
    clock.move(MONDAY + 10 * DAY + 1800)
    town.release()
    totals = house.sql(
        "select v.version, sum(c.count) from throng.metric_layout as v join throng.release as r using (metric_id)"
        " join throng.released_cell as c using (release_id) where v.metric = 'edges' and c.margin = 0 group by 1 order by 1")
    sent = [["1", "50"], ["2", "53"]]
    if totals != sent:
        world.edge_findings.append(f"each event counts under one edge only: {sent} were sent, {totals} released")
    with open(house.plan, "w") as file:
        file.write(plan_text(METRICS.values()))
