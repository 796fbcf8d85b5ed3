"""The attacks of the disclosure page, mounted on what a real `throng serve` released to everyone; and, as the control,
on what a naive house would have released of the same people: it withholds whatever stands for fewer than k devices, and
nothing else.

Prints one line an attack: what it found against ours, and against the naive one."""

import itertools
import json
import os
import shutil
from random import Random

import daemon
import joint
import naive_files
import published
from attacker import System
from daemon import check, say
from family import Family, naive_facts
from moving_clock import MovingClock
from published import Fact, spell
from targets import METRICS
from town import DAY, K, MONDAY, Metric, Town, plan_text
from world import World, live

PERCENT = 10
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


@attack("23", "fifty repeats of an answer with a margin")
def repeats(world):
    drawn = METRICS["drawn"]
    answers = {}
    for fact in world.drawn_facts:
        # A share of two numbers that are here is no answer of its own.
        if fact.cell:
            answers.setdefault(fact.cell, []).append(fact.lower)
    check(len(answers) == 6 * 2, "of six days the total and the large shade are there:", sorted(answers))
    for repeat in range(50):
        if repeat % 10 == 0:
            # Whatever makes numbers is asked again, too.
            world.town.release()
            folder = os.path.join(world.town.house.folder, f"repeat-{repeat}")
            world.town.report("north", 2, folder)
            again = published.report(os.path.join(folder, "north-2026-03-04.json"))
        else:
            again = published.views(world.town.house, "drawn")
        for fact in again:
            if fact.cell and fact.cell[0] == "drawn":
                answers[fact.cell].append(fact.lower)
    check(all(len(each) >= 50 for cell, each in answers.items() if cell[2] == (2,)), "fifty answers of a day")
    found = [
        f"{spell(cell[2], dict(cell[3]))} was answered in {len(set(each))} ways" for cell, each in answers.items()
        if len(set(each)) > 1]
    truth = {cell: drawn.events(cell[2], dict(cell[3])) for cell in answers}
    found += [f"{spell(cell[2], dict(cell[3]))} is of {count}" for cell, count in truth.items() if count < K]
    if all(each[0] == truth[cell] for cell, each in answers.items()):
        found.append("no answer is off")
    # A naive house draws both layers anew for each question: the mean of fifty is the number itself.
    random = Random(23)
    means = [3 + random.gauss(0, K / 4 * 2**0.5) for _ in range(50)]
    mean = sum(means) / len(means)
    return found, [f"the mean of fifty answers is {mean:.2f}, so it is 3"] if round(mean) == 3 else []


@attack("24", "an interval too close around a hidden sum")
def close(world):
    metric = METRICS["spending"]
    naive = [fact for fact in naive_facts(metric, measures=("count", "spent")) if fact.cell[3] != (("tint", "a"),)]
    return amounts(world.facts, metric), amounts(naive, metric)


def tied(number, title, *names):
    """An attack on metrics that count some of the same happenings, each of which gives nothing away by itself."""
    metrics = [METRICS[name] for name in names]
    same = [(metric.name, "count") for metric in metrics]

    def both(world):
        naive = [fact for metric in metrics for fact in naive_facts(metric)]
        apart = [Family(naive_facts(metric), metric).weaknesses() for metric in metrics]
        found = Family(world.facts, *metrics, same=same).weaknesses()
        if not any(fact.cell is not None and fact.cell[0] in names and fact.cell[3] == () for fact in world.facts):
            found.append("no total was published of any")
        return found, [each for each in Family(naive, *metrics, same=same).weaknesses() if each not in sum(apart, [])]

    ATTACKS.append((number, title, both))


tied("27", "two coarsenings of one field, a metric and a partner each", "near", "far")
tied("28", "an event that a dimension tells apart, and a metric of that event alone", "pages", "searches")
ATTACKS.append(("30", "a ring in a grid: two small cells together", joint.ring))
tied("31", "all actions less safe ones, one device with sixty", "actions", "safe")
ATTACKS.append(("32", "a day beside its hours, with one late device", joint.hours))
ATTACKS.append(("34", "a histogram's edges beside a sum", joint.bands))
tied("39", "one rule under two names of dimensions", "systems", "platforms")
on("39b", "the same in one metric", "twins")
tied("40", "a purpose that needs consent beside one that does not", "everybody", "asked")


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
