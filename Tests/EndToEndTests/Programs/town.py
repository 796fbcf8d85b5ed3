"""A small town: what its plan asks, who lives there, what they send, and what is therefore true.

One metric an attack. Each device sends one event a day to a metric, under an identifier that no other day or device
has, so that events are devices; `shifts` is the exception."""

import itertools
import json
import os
import time

import yaml

import daemon
from daemon import check

DAY = 86400
MONDAY = 1772409600  # 2026-03-02, a Monday, 0:00 UTC; PostgreSQL does not see the moved clock and refuses a far future
K = 5


class Metric:
    """A metric with its inhabitants.

    `crowd` maps an atom (a bucket of each of its dimensions, in the order of `names`) to devices, `days` a day (0 is
    that Monday) to such a crowd. `possible` lists the atoms that can occur, where buckets of two dimensions exclude each
    other; `counted` the dimensions that others among `names` are made of. `sends` gives an atom's fields, `amounts` what
    each device of an atom spends, `keys` further lines of the plan, `blind` those of `names` that it is not split by: its
    events have them for another metric's sake, which counts the same events. `says` gives an atom's event where there are
    several; `heard` is false where another metric's people send all that it counts; `declares` is false where the plan
    leaves it to rules to tell what excludes what."""

    def __init__(self, name, names=(), crowd=None, *, days=None, possible=None, counted=None, sends=None, amounts=None,
                 margins=None, rollups=(), keys=None, event=None, purpose="daily", blind=(), says=None, heard=True,
                 declares=True):
        self.name = name
        self.names = tuple(names)
        self.blind = tuple(blind)
        self.counted = tuple((name for name in names if name not in self.blind) if counted is None else counted)
        self.crowd = days if days is not None else {0: crowd}
        self.possible = possible
        self.sends = sends or (lambda atom: {
            name: label for name, label in zip(self.names, atom) if label != "other"})
        self.amounts = amounts
        self.margins = margins
        self.rollups = tuple(rollups)
        self.keys = keys or {}
        self.says = says or (lambda atom: event or name)
        self.heard = heard
        self.declares = declares
        self.purpose = purpose
        self.has_margin = "margin" in self.keys

    def plan(self):
        measures = {}
        if self.amounts:
            measures["sums"] = {"spent": {"field": "amount", "from": 0, "to": 1000, "decimals": 2, "unit": "EUR"}}
        plan = {
            "title": self.name, "events": sorted({self.says(atom) for atom in self.atoms()}), "question": "How many?", "decision": "None.",
            "owner": "Tests", "expires": "EXPIRES", "purpose": self.purpose, "dimensions": list(self.counted),
            "period": "day", "measures": measures, "contribution_bound": 1}
        if self.margins is not None:
            plan["margins"] = [list(margin) for margin in self.margins]
        if self.rollups:
            plan["rollups"] = list(self.rollups)
        if self.possible and self.declares and self.counted == self.names:
            every = itertools.product(*(LABELS[name] for name in self.names))
            plan["impossible"] = [dict(zip(self.names, atom)) for atom in every if atom not in self.possible]
        measures.update(self.keys.get("measures", {}))
        plan.update({key: value for key, value in self.keys.items() if key != "measures"})
        return plan

    def groupings(self):
        """The sets of dimensions that its releases show."""
        if self.margins is not None:
            return [(), *map(tuple, self.margins)]
        seen = [name for name in self.names if name not in self.blind]
        return list(dict.fromkeys([(), *((name,) for name in seen), tuple(seen)]))

    def atoms(self):
        return self.possible or list(itertools.product(*(LABELS[name] for name in self.names)))

    def inside(self, fixed):
        """The atoms of some buckets."""
        return frozenset(
            atom for atom in self.atoms()
            if all(label == fixed.get(name, label) for name, label in zip(self.names, atom)))

    def cells(self, grouping):
        """Every cell of a grouping that can occur, as buckets by dimension."""
        found = dict.fromkeys(
            tuple(label for name, label in zip(self.names, atom) if name in grouping) for atom in self.atoms())
        return [dict(zip((name for name in self.names if name in grouping), labels)) for labels in found]

    def devices(self, days, fixed):
        """How many devices are really behind a cell."""
        inside = self.inside(fixed)
        return sum(
            self.people(count) for day in days for atom, count in self.crowd.get(day, {}).items() if atom in inside)

    def events(self, days, fixed):
        inside = self.inside(fixed)
        return sum(
            self.count(count) for day in days for atom, count in self.crowd.get(day, {}).items() if atom in inside)

    def spent(self, days, fixed):
        """Unit: cents."""
        inside = self.inside(fixed)
        return sum(
            round(100 * amount) for day in days for atom, count in self.crowd.get(day, {}).items() if atom in inside
            for amount in itertools.islice(self.amounts(atom), count))

    # A crowd may say (devices, events).
    @staticmethod
    def people(count):
        return count[0] if isinstance(count, tuple) else count

    @staticmethod
    def count(count):
        return count[1] if isinstance(count, tuple) else count


def labels_of(dimensions):
    found = {}
    for name, plan in dimensions.items():
        if "groups" in plan:
            labels = list(plan["groups"])
        elif "list" in plan:
            labels = list(plan["list"])
        else:
            edges = plan["bands"]
            labels = [f"<{edges[0]}", *(f"{low}-{high}" for low, high in zip(edges, edges[1:])), f">={edges[-1]}"]
        found[name] = [*labels, "other"]
    return found


def template():
    with open(os.path.join(daemon.HERE, "town.yaml")) as file:
        return yaml.safe_load(file)


LABELS = labels_of(template()["dimensions"])


def plan_text(metrics, change=None):
    """The plan of these metrics, as YAML; JSON is YAML."""
    plan = template()
    plan["metrics"] = {metric.name: metric.plan() for metric in metrics}
    if change:
        change(plan)
    used = {
        name for metric in plan["metrics"].values() for margin in [metric["dimensions"], *metric.get("margins", [])]
        for name in margin}
    plan["dimensions"] = {name: each for name, each in plan["dimensions"].items() if name in used}
    plan["insights"] = {
        name: each for name, each in plan["insights"].items() if each["metric"] in plan["metrics"]}
    for report in plan["reports"].values():
        report["insights"] = [name for name in report["insights"] if name in plan["insights"]]
    return json.dumps(plan, indent=1).replace("EXPIRES", "2027-02-01").replace('"2027-02-01"', "2027-02-01")


class Town:
    """A daemon with a clock of its own, and everything that was sent to it."""

    def __init__(self, house, clock):
        self.house = house
        self.clock = clock
        self.posted = 0

    def send(self, metrics, day, tag=""):
        """What happened on a day, sent now."""
        at = time.strftime("%Y-%m-%dT12:00:00Z", time.gmtime(MONDAY + day * DAY))
        everyone = {}
        for metric in metrics:
            place = 0
            for atom, count in metric.crowd.get(day, {}).items():
                amounts = metric.amounts(atom) if metric.amounts else itertools.repeat(None)
                for amount in itertools.islice(amounts, Metric.people(count)):
                    fields = metric.sends(atom)
                    if amount is not None:
                        fields["amount"] = amount
                    each = metric.count(count) // metric.people(count)
                    everyone.setdefault((metric.purpose, place), []).extend(
                        [{"event": metric.says(atom), "at": at, "fields": fields}] * each)
                    place += 1
        for (purpose, place), events in everyone.items():
            self.post(f"{tag}{day}-{place}", events, purpose)

    def post(self, identifier, events, purpose="daily", window=None):
        rotation = {"daily": DAY, "asked": DAY, "drawn": DAY, "hourly": 3600}[purpose]
        batch = {
            "app": "town", "batch": os.urandom(16).hex(), "purpose": purpose,
            "window": self.clock.now() // rotation if window is None else window, "id": identifier, "context": {},
            "events": events}
        status, _, body = self.house.post(json.dumps(batch))
        check(status == 202 and json.loads(body)["refused"] == [], "a batch was answered", status, body)
        self.posted += len(events)

    def call(self, day, hour, devices, tag):
        """Devices that call in an hour of a day, and are heard of now."""
        at = time.strftime("%Y-%m-%dT%H:30:00Z", time.gmtime(MONDAY + day * DAY + hour * 3600))
        for device in range(devices):
            self.post(f"{tag}{device}", [{"event": "call", "at": at, "fields": {}}])

    def release(self):
        self.house.drain()
        code, out, talk = self.clock.run(
            "release", "--ignore-grace", "--plan", self.house.plan, "--data", self.house.data)
        check(code == 0, "throng release ended with", code, out, talk)
        return out

    def report(self, partner, day, folder):
        """A partner's files for a day."""
        label = time.strftime("%Y-%m-%d", time.gmtime(MONDAY + day * DAY))
        code, out, talk = self.clock.run(
            "report", "--plan", self.house.plan, "--data", self.house.data, "--period", label, "--partner", partner,
            "--out", folder)
        check(code == 0, "throng report ended with", code, talk)
        return out.split()
