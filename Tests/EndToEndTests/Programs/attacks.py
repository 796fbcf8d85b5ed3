"""The attacks of the disclosure page, mounted on what a real `throng serve` released to everyone; and, as the control,
on what a naive house would have released of the same people: it withholds whatever stands for fewer than k devices, and
nothing else.

Prints one line an attack: what it found against ours, and against the naive one."""

import itertools
import json
import os
import shutil
import sys
from random import Random

import daemon
import naive_files
import published
from attacker import Infeasible, System
from daemon import check, say
from moving_clock import MovingClock
from published import Fact, spell
from town import DAY, K, MONDAY, Metric, Town, plan_text

PERCENT = 10

GRID = [[3, 2, 9, 9, 9], [4, 3, 2, 9, 9], [9, 9, 3, 4, 9], [9, 9, 2, 3, 9], [9, 9, 9, 9, 9]]
ROWS, COLUMNS = ["r1", "r2", "r3", "r4", "other"], ["c1", "c2", "c3", "c4", "other"]
WEEK = [20, 31, 18, 9, 2, 40, 22, 3]
COUNTRY = {("AT+DE", "AT+DE+LI"): "DE", ("other", "AT+DE+LI"): "LI", ("other", "other"): "FR"}
LANDS = [
    ("AT", "AT+DE", "AT+DE+LI"), ("DE", "AT+DE", "AT+DE+LI"), ("LI", "other", "AT+DE+LI"), ("other", "other", "other")]
AGES = {("<25", "<30"): 20, ("25-35", "<30"): 27, ("25-35", "30-35"): 32, (">=35", ">=35"): 40, ("other", "other"): None}


def line(*counts):
    """The shades a, b and other; the tints a, b, c and other; and so on."""
    names = {3: "a b other", 4: "a b c other", 7: "a b c d e f other"}[len(counts)].split()
    return {(name,): count for name, count in zip(names, counts) if count}


# The same people, whom one metric sees by tint and shade and another by tint and team.
LOOKS = {
    ("a", "a", "t1"): 12, ("a", "a", "t2"): 8, ("a", "b", "t1"): 9, ("a", "b", "t2"): 6, ("b", "a", "t1"): 7,
    ("b", "a", "t2"): 5, ("b", "b", "t1"): 5, ("c", "a", "t1"): 6, ("c", "a", "t2"): 3, ("c", "b", "t1"): 3}

METRICS = {metric.name: metric for metric in [
    Metric("margin", ["shade"], line(60, 37, 3)),
    Metric("cycle", ["row", "column"], {
        (row, column): GRID[y][x] for y, row in enumerate(ROWS) for x, column in enumerate(COLUMNS)}),
    Metric("residual", ["tint"], line(30, 17, 2, 1)),
    Metric("days", days={day: {(): count} for day, count in enumerate(WEEK)}, rollups=["week"]),
    Metric("shaded_days", ["shade"], days={
        day: line(10, 2 if day == 2 else 9, 12) for day in range(7)}, rollups=["week"]),
    Metric("partners", ["at_de", "at_de_li"], dict(zip(COUNTRY, (20, 2, 30))), possible=list(COUNTRY),
           margins=[["at_de"], ["at_de_li"]], sends=lambda atom: {"country": COUNTRY[atom]}),
    Metric("countries", ["country", "dach", "dach_li"], dict(zip(LANDS, (12, 8, 2, 30))), possible=list(LANDS),
           counted=["country"], margins=[["dach"], ["dach_li"]],
           sends=lambda atom: {"country": atom[0]} if atom[0] != "other" else {}),
    Metric("late", ["shade"], days={0: line(20, 20, 8), 2: line(9, 9, 9)}),
    Metric("ages", ["decade", "half"], dict(zip(AGES, (20, 3, 20, 25))), possible=list(AGES),
           margins=[["decade"], ["half"]], sends=lambda atom: {"age": AGES[atom]}),
    Metric("letters", ["letter"], line(20, 1, 1, 1, 12, 0, 0)),
    Metric("shares", ["tint"], line(30, 17, 3, 9), amounts=lambda atom: itertools.repeat(10.5)),
    Metric("quotas", ["shade"], line(55, 41, 4)),
    Metric("ranking", ["place"], {("first",): 20, ("second",): 15, ("third",): 10, ("other",): 4}),
    Metric("nulls", ["shade"], line(30, 40, 3)),
    Metric("edges", ["youth"], days={8: {("<30",): 20, (">=30",): 30}},
           sends=lambda atom: {"age": 20 if atom == ("<30",) else 40}),
    Metric("users", ["tint"], line(30, 17, 3, 9), event="use", keys={"measures": {"reach": True}}),
    Metric("starts", ["tint"], line(30, 17, 3, 9), event="start"),
    Metric("shifts", ["shade"], {("a",): 20, ("b",): (2, 12)}, purpose="hourly"),
    Metric("rare", ["shade"], days={0: {("a",): 2}}),
    Metric("noisy", ["shade"], days={day: line(3, 40, 0) for day in range(2, 8)}, purpose="noisy",
           keys={"noise": {"mechanism": "laplace", "epsilon": "1/2"}}),
    Metric("glances", ["tint", "shade", "team"], LOOKS, blind=["team"], event="look", margins=[["tint", "shade"]]),
    Metric("stares", ["tint", "shade", "team"], LOOKS, blind=["shade"], event="look",
           margins=[["tint"], ["tint", "team"]]),
    Metric("spending", ["tint"], line(6, 10, 10, 10), amounts=lambda atom: {
        "a": [1000, 400, 1, 1, 1, 1], "b": itertools.repeat(50), "c": itertools.repeat(40),
        "other": itertools.repeat(30)}[atom[0]]),
    Metric("ward", ["team", "ill"], {
        ("t1", "sick"): 12, ("t2", "sick"): 6, ("t2", "well"): 8, ("other", "sick"): 7, ("other", "well"): 9},
        keys={"sensitive": ["ill"]}),
    Metric("cube", ["p", "q", "s"], {
        (p, q, s): count for (p, q, s), count in zip(itertools.product(("p1", "other"), ("q1", "other"), (
            "s1", "other")), (3, 5, 5, 4, 5, 5, 5, 1))}, margins=[["p", "q"], ["p", "s"], ["q", "s"]]),
]}


# What follows from facts

class Family:
    """Metrics whose numbers speak of the same people, as one system of unknowns: (measure, day, atom)."""

    def __init__(self, facts, *metrics, same=()):
        self.metrics = metrics
        self.same = set(same)
        known = {metric.name: metric for metric in metrics}
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
            (frozenset(self.unknowns(metric, measure, fact.cell[2], dict(fact.cell[3]))), fact)
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
                devices = sum(
                    Metric.people(metric.crowd.get(day, {}).get(atom, 0)) for _, day, atom in rest)
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


# The attacks

ATTACKS = []


def attack(number, title):
    def keep(both):
        ATTACKS.append((number, title, both))
        return both
    return keep


def on(number, title, *names, spans=None, more=lambda: []):
    """An attack that needs nothing but what was published of some metrics."""
    metrics = [METRICS[name] for name in names]

    def both(world):
        naive = [fact for metric in metrics for fact in naive_facts(metric, spans=spans)] + more()
        return Family(world.facts, *metrics).weaknesses(), Family(naive, *metrics).weaknesses()

    ATTACKS.append((number, title, both))


on("1", "a margin: 100 = 60 + 37 + hidden", "margin")
on("2", "a cycle with two hidden in every row and column", "cycle")
on("3", "a residual of two hidden cells that sum to 3", "residual")
on("4", "a week over six published days", "days", spans=[*((day,) for day in range(8)), tuple(range(7))])
on("4b", "weeks and days by shade", "shaded_days", spans=[*((day,) for day in range(7)), tuple(range(7))])


@attack("5", "rolling weeks a day apart")
def rolling(world):
    days = METRICS["days"]
    found = Family(world.facts, days).weaknesses()
    for metric, one, other in world.overlaps():
        found.append(f"{metric} was released for {one} and for {other}")
    found += world.accepts("a rolling week", lambda plan: plan["metrics"]["days"].update(period="rolling week"))
    found += world.accepts("rolling weeks", lambda plan: plan["metrics"]["days"].update(rollups=["rolling week"]))
    spans = [*((day,) for day in range(8)), tuple(range(7)), tuple(range(1, 8))]
    return found, Family(naive_facts(days, spans=spans), days).weaknesses()


on("6", "two partners, one with AT+DE, one with AT+DE+LI", "partners")
on("6b", "the same, with coarser dimensions of one", "countries")


@attack("7", "a re-release two devices later")
def again(world):
    late = METRICS["late"]
    found = world.late_findings + Family(world.facts, late).weaknesses()
    old, new = (late.events((0,), {"shade": "a"}) + more for more in (0, 2))
    return found, [f"{new} less {old} are {new - old} devices"] if new - old < K else []


@attack("8", "a cumulative series")
def cumulative(world):
    days = METRICS["days"]
    found = Family(world.facts, days).weaknesses()
    found += world.accepts("a running total", lambda plan: plan["metrics"]["days"].update(period="to date"))
    spans = [(0,), *(tuple(range(day + 1)) for day in range(1, 8))]
    return found, Family(naive_facts(days, spans=spans), days).weaknesses()


on("9", "two groupings that do not nest", "ages")


@attack("10", "singletons next to published zeros")
def singletons(world):
    letters = METRICS["letters"]
    zeros = [
        Fact.number("naive", "letters", "count", (0,), fixed, 0)
        for fixed in letters.cells(("letter",)) if letters.devices((0,), fixed) == 0]
    at_least = [
        Fact("naive", [(1, ("letters", "count", (0,), (("letter", letter),)))], 1, None) for letter in "bcd"]
    found = Family(world.facts, letters).weaknesses()
    found += [f"{fact}: a zero is published" for fact in world.facts if fact.cell and fact.lower == 0]
    return found, Family(naive_facts(letters) + zeros + at_least, letters).weaknesses()


@attack("11", "a zero and a small cell told apart by marker, order or absence")
def markers(world):
    return published.tells(world.folder), published.tells(world.naive_folder)


@attack("11b", "a day without anybody and a day of two devices told apart by absence")
def absence(world):
    def told(day):
        path = os.path.join(world.folder, f"north-2026-03-{2 + day:02}.json")
        with open(path) as file:
            insights = {each["name"]: each for each in json.load(file)["insights"]}
        return [insights["rare"][key] for key in ("status", "rows", "whole", "rest", "withheld_share")]
    found = [] if told(0) == told(1) else [f"the day of two: {told(0)}; the day of none: {told(1)}"]
    days = world.town.house.sql(
        "select count(*) from analyst.releases where metric = 'rare' and period_start < '2026-03-09'")
    if days != [["7"]]:
        found.append(f"{days[0][0]} of seven days have a release that analysts can see")
    # The naive house makes releases where somebody was, as this one does of each metric that was ever counted.
    return found, [f"day {day + 1} has a release" for day in METRICS["rare"].crowd]


@attack("12", "a share of a known base, a mean of a known sum")
def shares(world):
    metric = METRICS["shares"]
    c, everything, day = (("tint", "c"),), (), (0,)
    naive = [
        Fact.number("naive", "shares", "count", day, {}, metric.events(day, {})),
        *Fact.quotient("naive", [(1, ("shares", "count", day, c))], ("shares", "count", day, everything), "0.050847")]
    means = [
        Fact.number("naive", "shares", "spent", day, {"tint": "c"}, metric.spent(day, {"tint": "c"})),
        *Fact.quotient("naive", [(1, ("shares", "spent", day, c))], ("shares", "count", day, c), "10.50", 100)]
    controls = [Family(each, metric).weaknesses() for each in (naive, means)]
    check(all(controls), "both quotients give c away", controls)
    return Family(world.facts, metric).weaknesses() + amounts(world.facts, metric), sum(controls, [])


@attack("13", "shares that add to 100 %")
def quotas(world):
    metric = METRICS["quotas"]
    naive = [Fact.number("naive", "quotas", "count", (0,), {}, 100)]
    for label, share in (("a", "0.550000"), ("b", "0.410000")):
        naive += Fact.quotient(
            "naive", [(1, ("quotas", "count", (0,), (("shade", label),)))], ("quotas", "count", (0,), ()), share)
    return Family(world.facts, metric).weaknesses(), Family(naive, metric).weaknesses()


on("14", "the first three and the rest", "ranking")
on("15", "a null bucket", "nulls")


@attack("16", "a bucket edge moved by a year")
def edges(world):
    whole = Metric("edges", ["young", "younger"], {("y", "y"): 20, ("n", "y"): 3, ("n", "n"): 30}, possible=[
        ("y", "y"), ("n", "y"), ("n", "n")], margins=[["young"], ["younger"]])
    return world.edge_findings, Family(naive_facts(whole), whole).weaknesses()


@attack("17", "the same series in two time zones")
def zones(world):
    found = world.accepts(
        "a time zone of its own", lambda plan: plan["metrics"]["days"].update(time_zone="Europe/Vienna"))
    zones = world.town.house.sql("select distinct app, time_zone from analyst.metrics")
    if len(zones) != 1:
        found.append(f"series in several time zones: {zones}")
    # Counting begins at midnight UTC; 20 devices until 23:00, 3 in the last hour.
    system = System(None)
    system.add({"until 23": 1, "last hour": 1}, 23, 23)
    system.add({"until 23": 1}, 20, 20)
    low, high, _ = system.bounds({"last hour": 1})
    return found, [f"the last hour can only be {low}"] if low == high else []


@attack("18", "a hidden device count beside an event that each device sends once")
def users(world):
    pair = (METRICS["users"], METRICS["starts"])
    same = [("users", "reach"), ("users", "count"), ("starts", "count")]
    found = Family(world.facts, *pair, same=same).weaknesses()
    naive = naive_facts(pair[0], measures=("reach",))
    naive = [fact for fact in naive if fact.cell[3] != (("tint", "b"),)] + naive_facts(pair[1])
    return found, Family(naive, *pair, same=same).weaknesses()


@attack("18b", "two metrics over the same events, each split by something of its own")
def looks(world):
    pair = (METRICS["glances"], METRICS["stares"])
    same = [(metric.name, "count") for metric in pair]
    naive = [fact for metric in pair for fact in naive_facts(metric)]
    apart = [Family(naive_facts(metric), metric).weaknesses() for metric in pair]
    found = Family(world.facts, *pair, same=same).weaknesses()
    if sum(fact.cell is not None and fact.cell[0] in ("glances", "stares") for fact in world.facts) < 8:
        found.append("hardly anything was published of either")
    return found, [each for each in Family(naive, *pair, same=same).weaknesses() if each not in sum(apart, [])]


@attack("19", "two devices over six windows posing as twelve")
def shifts(world):
    metric = METRICS["shifts"]
    # This naive house adds identifiers up over windows.
    naive = [
        Fact.number("naive", "shifts", "count", (0,), fixed, metric.events((0,), fixed))
        for fixed in ({}, {"shade": "a"}, {"shade": "b"})]
    return Family(world.facts, metric).weaknesses(), Family(naive, metric).weaknesses()


def amounts(facts, metric):
    """Sums of cells that are too small, or that one holder dominates: derived, or within so many percent."""
    family = Family(facts, metric)
    found = []
    plain = {fact.cell for fact in family.facts}
    for days, fixed, unknowns in family.cells(metric, "spent"):
        held = sorted((
            round(100 * amount) for day in days for atom, count in metric.crowd[day].items()
            if atom in metric.inside(fixed) for amount in itertools.islice(metric.amounts(atom), count)), reverse=True)
        if not held or len(held) >= K and 100 * sum(held[2:]) >= PERCENT * held[0]:
            continue
        value = sum(held)
        where = f"the sum {spell(days, fixed)} of {len(held)} devices, the largest of which spent {held[0]},"
        if (metric.name, "spent", days, tuple(sorted(fixed.items()))) in plain:
            found.append(f"{where} is published: {value}")
            continue
        low, high, _ = family.bounds(unknowns)
        if high is not None and (100 * high < (100 + PERCENT) * value or 100 * low > (100 - PERCENT) * value):
            found.append(f"{where} lies between {low} and {high}")
    return found


@attack("20", "a holder of the second largest value bounding the largest")
def second(world):
    metric = METRICS["spending"]

    def mount(facts):
        found = []
        for fact in facts:
            if not fact.cell or fact.cell[:2] != ("spending", "spent"):
                continue
            inside = metric.inside(dict(fact.cell[3]))
            held = sorted((
                round(100 * amount) for day in fact.cell[2] for atom, count in metric.crowd[day].items()
                if atom in inside for amount in itertools.islice(metric.amounts(atom), count)), reverse=True)
            most = fact.lower - held[1]
            if 100 * most < (100 + PERCENT) * held[0]:
                found.append(f"{fact}: who spent {held[1]} knows that the largest is at most {most}; it is {held[0]}")
        return found
    return mount(world.facts), mount(naive_facts(metric, measures=("count", "spent")))


@attack("21", "everyone in one bucket of a sensitive dimension")
def ward(world):
    metric = METRICS["ward"]

    def mount(facts):
        family = Family(facts, metric)
        found = []
        for fixed in metric.cells(("team",)):
            everyone = metric.devices((0,), fixed)
            for bucket in ("sick", "well"):
                if everyone == 0 or metric.devices((0,), {**fixed, "ill": bucket}) < everyone:
                    continue
                others = set(family.unknowns(metric, "count", (0,), fixed)).difference(
                    family.unknowns(metric, "count", (0,), {**fixed, "ill": bucket}))
                low, high, _ = family.bounds(others)
                present, _, _ = family.bounds(family.unknowns(metric, "count", (0,), fixed))
                if high == 0 and present:
                    found.append(f"all of {fixed['team']} are proved to be {bucket}")
        return found
    return mount(world.facts), mount(naive_facts(metric))


on("22", "a cell that is asked for tomorrow, and that today's release has already pinned", "cube")


@attack("23", "fifty repeats of a noisy answer")
def repeats(world):
    noisy = METRICS["noisy"]
    answers = {}
    for fact in world.noisy_facts:
        check(fact.cell, "a noisy answer is a number:", fact)
        answers.setdefault(fact.cell, []).append(fact.lower)
    check(len(answers) == 8 * 4, "every cell of eight days is there, the empty ones too:", sorted(answers))
    for repeat in range(50):
        if repeat % 10 == 0:
            # Whatever makes numbers is asked again, too.
            world.town.release()
            folder = os.path.join(world.town.house.folder, f"repeat-{repeat}")
            world.town.report("north", 2, folder)
            again = published.report(os.path.join(folder, "north-2026-03-04.json"))
        else:
            again = published.views(world.town.house, "noisy")
        for fact in again:
            if fact.cell and fact.cell[0] == "noisy":
                answers[fact.cell].append(fact.lower)
    check(all(len(each) >= 50 for cell, each in answers.items() if cell[2] == (2,)), "fifty answers of a day")
    found = [
        f"{spell(cell[2], dict(cell[3]))} was answered in {len(set(each))} ways" for cell, each in answers.items()
        if len(set(each)) > 1]
    truth = {cell: noisy.events(cell[2], dict(cell[3])) for cell in answers}
    if all(each[0] == truth[cell] for cell, each in answers.items()):
        found.append("no answer has any noise")
    # A naive house draws anew for each question: at this noise the mean of fifty is the number itself.
    random = Random(23)
    drawn = [3 + random.expovariate(0.5) - random.expovariate(0.5) for _ in range(50)]
    mean = sum(drawn) / len(drawn)
    return found, [f"the mean of fifty answers is {mean:.2f}, so it is 3"] if round(mean) == 3 else []


@attack("24", "an interval too close around a hidden sum")
def close(world):
    metric = METRICS["spending"]
    naive = [fact for fact in naive_facts(metric, measures=("count", "spent")) if fact.cell[3] != (("tint", "a"),)]
    return amounts(world.facts, metric), amounts(naive, metric)


# What happened

class World:
    def __init__(self, town, folder, naive_folder):
        self.town = town
        self.folder = folder
        self.naive_folder = naive_folder
        self.facts = []
        self.noisy_facts = []
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
        # A number with noise is no equation over what was counted.
        self.noisy_facts = [fact for fact in self.facts if METRICS[fact.terms[0][1][0]].is_noisy]
        self.facts = [fact for fact in self.facts if not METRICS[fact.terms[0][1][0]].is_noisy]

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
    everyday = [metric for metric in METRICS.values() if metric.name not in ("edges", "shifts", "stares")]
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
    house.drain()
    check(house.stop() == 0, "serve stops gracefully")
    with open(house.plan, "w") as file:
        file.write(plan_text(METRICS.values(), lambda plan: plan["dimensions"]["youth"].update(bands=[31])))
    house.start()
    moved = Metric("edges", ["youth"], days={8: {("<31",): 23, (">=31",): 30}}, sends=lambda atom: {
        "age": 30 if atom == ("<31",) else 40})
    town.send([moved], 8, tag="moved")
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


def audits(world):
    """The independent attacker in Swift agrees: on all files together, on the database, and on the naive files."""
    house = world.town.house
    results = {}
    for name, arguments in (
            ("files", ["--released", world.folder, "--plan", house.plan]),
            ("database", ["--data", house.data]),
            ("naive", ["--released", world.naive_folder, "--plan", house.plan])):
        code, out, talk = world.town.clock.run("audit", *arguments, "--seconds", "60")
        check(code in (0, 2), "throng audit ended with", code, talk)
        lines = (out + talk).split("\n")
        check(not any(line.startswith("not read") for line in lines), "the audit could not read", out)
        results[name] = [line for line in lines if line.startswith("- ")] if code == 2 else []
    for name in ("files", "database"):
        line = {"attack": "audit " + name, "title": "throng audit", "ours": results[name], "naive": results["naive"]}
        print("RESULT " + json.dumps(line), flush=True)
    say("audited")


def test():
    house = daemon.Daemon(plan_text(METRICS.values()), name="town")
    clock = MovingClock(house.folder, MONDAY + 2 * DAY + 1800)
    house.settings = clock.variables
    house.start()
    town = Town(house, clock)
    world = World(town, os.path.join(house.folder, "given"), os.path.join(house.folder, "naive"))
    live(world)
    say(f"{town.posted:,} events")
    for day in range(8):
        town.report("north", day, world.folder)
    # Nothing that the south is told happened on the eighth.
    for day in range(7):
        town.report("south", day, world.folder)
    naive_files.write(world.folder, world.naive_folder, METRICS)
    world.read()
    say(f"{len(world.facts):,} facts were given to partners and analysts")
    for number, title, both in ATTACKS:
        ours, naive = both(world)
        print("RESULT " + json.dumps({"attack": number, "title": title, "ours": ours, "naive": naive}), flush=True)
    say("attacked")
    audits(world)
    if os.environ.get("THRONG_TEST_KEEP"):
        shutil.copytree(world.folder, os.environ["THRONG_TEST_KEEP"], dirs_exist_ok=True)


if __name__ == "__main__":
    daemon.main(test)
