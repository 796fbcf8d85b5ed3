"""Attacks that look at several numbers at once: two small cells together, bands beside a sum, a day beside its hours."""

import itertools

from attacker import Infeasible, System
from daemon import check
from family import Family, naive_facts
from targets import HOUR, METRICS, RINGED
from town import DAY, K, MONDAY

# By band, the least and the most that one of its devices spends. Unit: cents.
BANDS = {"<1": (0, 100), "1-5": (100, 500), ">=5": (500, 100_000)}


def ring(world):
    """Attack 30: small cells that nobody can tell alone, and whose sum everybody can."""
    metric = METRICS["ring"]

    def mount(facts):
        family = Family(facts, metric)
        small = [fixed for fixed in metric.cells(("row", "column")) if 0 < metric.devices((0,), fixed) < K]
        found = []
        for one, other in itertools.combinations(small, 2):
            devices = sum(metric.devices((0,), fixed) for fixed in (one, other))
            unknowns = [unknown for fixed in (one, other) for unknown in family.unknowns(metric, "count", (0,), fixed)]
            low, high, _ = family.bounds(unknowns)
            if devices < K and low == high:
                found.append(f"{one} and {other} are {low} together")
        return found

    # This house withholds what a subtraction along its sums would give, and no more.
    naive = [
        fact for fact in naive_facts(metric)
        if tuple(label for _, label in sorted(fact.cell[3], reverse=True)) not in RINGED]
    check(Family(naive, metric).weaknesses() == [], "along sums nothing is seen")
    check(any(len(fact.cell[3]) == 2 for fact in naive), "cells are published")
    ours = [fact for fact in world.facts if fact.cell and fact.cell[0] == "ring"]
    check(len(ours) >= 11 + 8, "lines and cells are published", [str(fact) for fact in ours])
    return Family(world.facts, metric).weaknesses() + mount(world.facts), mount(naive)


def bands(world):
    """Attack 34: a histogram's edges beside a sum of the same field."""
    metric = METRICS["bands"]
    small = metric.devices((0,), {"paid": ">=5"})

    def mount(facts):
        system = System(None)
        for fact in facts:
            if not fact.cell or fact.cell[0] != "bands" or fact.cell[1] not in ("count", "spent"):
                continue
            inside = [dict(fact.cell[3])["paid"]] if fact.cell[3] else list(BANDS)
            system.add({(fact.cell[1], band): 1 for band in inside}, fact.lower, fact.upper)
        for band, (least, most) in BANDS.items():
            system.add({("spent", band): 1, ("count", band): -least}, 0, None)
            system.add({("spent", band): -1, ("count", band): most}, 0, None)
        try:
            low, high, _ = system.bounds({("count", ">=5"): 1}, nodes=4_000)
        except Infeasible:
            return ["the published numbers contradict each other"]
        return [f"from 5 on there are from {low} to {high}, really {small}"] if high is not None and high < K else []

    naive = [
        fact for fact in naive_facts(metric, measures=("count", "spent"))
        # The small band, and the cheapest other one to protect it.
        if dict(fact.cell[3]).get("paid") not in (">=5", "1-5")]
    check(len(naive) == 4, "events and sum of all and of one band", [str(fact) for fact in naive])
    if not any(fact.cell and fact.cell[:2] == ("bands", "spent") and not fact.cell[3] for fact in world.facts):
        return ["the sum of all is not published"], mount(naive)
    return mount(world.facts), mount(naive)


def hours(world):
    """Attack 32: a day's number beside those of its hours, with one late device.

    A period is 0 for an hour, and 1 for a day."""
    rows = world.town.house.sql(
        "select r.period_kind, extract(epoch from r.period_start)::bigint, c.count from throng.metric_layout as v"
        " join throng.release as r using (metric_id) join throng.released_cell as c using (release_id)"
        " where v.metric in ('daily_calls', 'hourly_calls') and c.margin = 0")
    day = MONDAY + 8 * DAY

    def mount(numbers):
        days = [count for kind, start, count in numbers if kind == 1 and start == day]
        parts = [count for kind, start, count in numbers if kind == 0 and day <= start < day + DAY]
        rests = [whole - sum(parts) for whole in days if parts]
        return [f"the day less its hours is {rest}" for rest in rests if 0 < rest < K]

    ours = [(int(kind), int(start), int(count)) for kind, start, count in rows]
    check((0, day + HOUR * 3600, 20) in ours, "the hour is released", ours)
    return mount(ours), mount([(1, day, 21), (0, day + HOUR * 3600, 20)])
