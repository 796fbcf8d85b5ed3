"""What follows from published facts about the same people: which few of them stand alone, and what sums reveal."""

import itertools

from attacker import Infeasible, System
from daemon import check
from published import Fact, spell
from town import K, Metric


class Family:
    """Metrics whose numbers speak of the same people, as one system of unknowns: (measure, day, atom)."""

    def __init__(self, facts, *metrics, same=()):
        self.metrics = metrics
        self.same = set(same)
        self.known = known = {metric.name: metric for metric in metrics}
        self.facts = [
            fact for fact in facts
            # Floors of several days do not add up.
            if all(cell[0] in known and not (cell[1] == "reach" and len(cell[2]) > 1) for _, cell in fact.terms)]
        self.system = System(None)
        for fact in self.facts:
            terms = {}
            for factor, (name, measure, days, fixed) in fact.terms:
                for unknown in self.unknowns(known[name], measure, days, dict(fixed)):
                    terms[unknown] = terms.get(unknown, 0) + factor
            self.system.add(terms, fact.lower, fact.upper)

    def unknowns(self, metric, measure, days, fixed):
        name = "same" if (metric.name, measure) in self.same else (metric.name, measure)
        inside = metric.inside(fixed)
        check(inside, "no atom of", metric.name, "is in", fixed)
        return [(name, day, atom) for day in days for atom in sorted(inside)]

    def bounds(self, unknowns):
        return self.system.bounds(dict.fromkeys(unknowns, 1))

    def people(self, metric, unknown):
        """The devices behind an unknown: where metrics share it, those of whichever counts it."""
        name, day, atom = unknown
        shared = {other for other, _ in self.same}
        metrics = [each for each in self.metrics if each.name in shared] if name == "same" else [metric]
        return max(Metric.people(each.crowd.get(day, {}).get(atom, 0)) for each in metrics)

    def spans(self, metric):
        """Days, and whatever else somebody published."""
        return list(dict.fromkeys(
            [(day,) for day in sorted(metric.crowd)]
            + [days for fact in self.facts for _, (name, _, days, _) in fact.terms if name == metric.name]))

    def cells(self, metric, measure):
        """Every cell of the metric's universe once, whoever asked for it: days, buckets, unknowns."""
        seen = set()
        for days in self.spans(metric):
            seen_by = [name for name in metric.names if name not in metric.blind]
            for size in range(len(seen_by) + 1):
                for grouping in itertools.combinations(seen_by, size):
                    for fixed in metric.cells(grouping):
                        unknowns = self.unknowns(metric, measure, days, fixed)
                        if frozenset(unknowns) not in seen:
                            seen.add(frozenset(unknowns))
                            yield days, fixed, unknowns

    def weaknesses(self, measure="count"):
        found = []
        try:
            for metric in self.metrics:
                found += self.small(metric, measure)
                found += self.unions(metric, measure)
        except Infeasible:
            found.append("the published numbers contradict each other")
        return found

    def small(self, metric, measure):
        """Cells of too few devices that are published, can have one value only, or are proved to be small."""
        found = []
        plain = {fact.cell for fact in self.facts}
        for days, fixed, unknowns in self.cells(metric, measure):
            devices = metric.devices(days, fixed)
            if not 0 < devices < K:
                continue
            where = f"{metric.name} {measure} {spell(days, fixed)}, behind which are {devices} devices,"
            if (metric.name, measure, days, tuple(sorted(fixed.items()))) in plain:
                found.append(f"{where} is published")
                continue
            low, high, sure = self.bounds(unknowns)
            if high is not None and low == high:
                found.append(f"{where} can only be {low}")
            elif high is not None and high < K:
                found.append(f"{where} is at most {high}")
            elif not sure:
                found.append(f"{where} could not be bounded")
        return found

    def unions(self, metric, measure):
        """What is withheld together inside a published number, as a subtraction reveals it."""
        found = []
        numbers = [
            (frozenset(self.unknowns(self.known[fact.cell[0]], measure, fact.cell[2], dict(fact.cell[3]))), fact)
            for fact in self.facts
            if fact.cell and (fact.cell[0] == metric.name or (fact.cell[0], fact.cell[1]) in self.same)
            and ((fact.cell[0], fact.cell[1]) in self.same or fact.cell[1] == measure)]
        by_grouping = {}
        for inside, fact in numbers:
            _, _, days, fixed = fact.cell
            by_grouping.setdefault((len(days), tuple(name for name, _ in fixed)), {})[inside] = fact
        for whole, parent in numbers:
            for grouping, children in by_grouping.items():
                parts = [inside for inside in children if inside < whole]
                rest = whole.difference(*parts)
                devices = sum(self.people(metric, unknown) for unknown in rest)
                if parts and 0 < devices < K:
                    found.append(
                        f"{parent} less the {len(parts)} published parts by {grouping[1] or 'day'} are {devices} devices")
        return list(dict.fromkeys(found))


def naive_facts(metric, measures=("count",), spans=None):
    """What the naive house releases: every cell of k devices."""
    facts = []
    for days in spans or [(day,) for day in sorted(metric.crowd)]:
        for grouping in metric.groupings():
            for fixed in metric.cells(grouping):
                if metric.devices(days, fixed) < K:
                    continue
                for measure in measures:
                    value = metric.spent(days, fixed) if measure == "spent" else metric.events(days, fixed)
                    facts.append(Fact.number("naive", metric.name, measure, days, fixed, value))
    return facts
