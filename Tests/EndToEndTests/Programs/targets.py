"""The metrics that are attacked, and the people behind each: who is few, and where."""

import itertools

from town import LABELS, Metric

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

# The same people, whose country two metrics coarsen.
LANDED = dict(zip(COUNTRY, (20, 2, 30)))
# The same people, whose system is a dimension under two names.
SYSTEMS = {("iOS", "iOS", "a"): 12, ("iOS", "iOS", "b"): 3, ("Android", "Android", "a"): 14, ("Android", "Android", "b"): 11}
PAGES = {("Search", "a"): 12, ("Search", "b"): 3, ("Home", "a"): 14, ("Home", "b"): 11}
SHADES = LABELS["shade"]
BOTH = [(os, os, shade) for os in LABELS["os"] for shade in SHADES]
SEARCHES = {atom: count for atom, count in PAGES.items() if atom[0] == "Search"}
ACTIONS = {("safe",): (12, 36), ("risky",): (1, 60)}
# A ring of six, of which two are small; and another small one in a square, so that all small ones together are many.
RINGED = {
    ("r1", "c1"): (2, 12), ("r1", "c2"): (6, 12), ("r2", "c2"): (6, 12), ("r2", "c3"): (2, 12), ("r3", "c3"): (6, 12),
    ("r3", "c1"): (6, 12), ("r4", "c4"): (4, 16), ("r4", "other"): (6, 12), ("other", "c4"): (6, 12),
    ("other", "other"): (6, 12)}
RING = {(row, column): RINGED.get((row, column), 20) for row in ROWS for column in COLUMNS}
# What each of a band pays.
PAID = {"<1": 0.2, "1-5": 1.1, ">=5": 6}
# When those call who are not late.
HOUR = 12
ANSWERS = {("yes",): 20, ("no",): 3}

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
    Metric("drawn", ["shade"], days={day: line(3, 40, 0) for day in range(2, 8)}, purpose="drawn",
           keys={"margin": "standard"}),
    Metric("glances", ["tint", "shade", "team"], LOOKS, blind=["team"], event="look", margins=[["tint", "shade"]]),
    Metric("stares", ["tint", "shade", "team"], LOOKS, blind=["shade"], event="look", heard=False,
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
    Metric("near", ["at_de", "at_de_li"], LANDED, possible=list(COUNTRY), blind=["at_de_li"], event="visit",
           sends=lambda atom: {"country": COUNTRY[atom]}),
    Metric("far", ["at_de", "at_de_li"], LANDED, possible=list(COUNTRY), blind=["at_de"], event="visit", heard=False),
    Metric("pages", ["page", "shade"], PAGES, margins=[["page", "shade"]],
           says=lambda atom: "search" if atom[0] == "Search" else "home", sends=lambda atom: {"shade": atom[1]}),
    Metric("searches", ["page", "shade"], SEARCHES, possible=[("Search", shade) for shade in SHADES], blind=["page", "shade"], event="search",
           heard=False),
    Metric("actions", ["act"], ACTIONS, possible=list(ACTIONS), blind=["act"], says=lambda atom: f"{atom[0]}_action",
           sends=lambda atom: {}, keys={"contribution_bound": 100}),
    Metric("safe", ["act"], {("safe",): ACTIONS["safe",]}, possible=[("safe",)], blind=["act"], event="safe_action",
           heard=False, keys={"contribution_bound": 100}),
    Metric("systems", ["os", "platform", "shade"], SYSTEMS, possible=BOTH, blind=["platform"], event="boot",
           margins=[["os", "shade"]], sends=lambda atom: {"system": atom[0], "shade": atom[2]}),
    Metric("platforms", ["os", "platform", "shade"], SYSTEMS, possible=BOTH, blind=["os", "shade"],
           event="boot", heard=False),
    Metric("twins", ["os", "platform", "shade"], SYSTEMS, possible=BOTH, declares=False,
           margins=[["os", "shade"], ["platform"]], sends=lambda atom: {"system": atom[0], "shade": atom[2]}),
    Metric("ring", ["row", "column"], RING, keys={"contribution_bound": 10}),
    Metric("bands", ["paid"], {("<1",): 60, ("1-5",): 10, (">=5",): 2}, possible=[(band,) for band in PAID], counted=(),
           sends=lambda atom: {}, amounts=lambda atom: itertools.repeat(PAID[atom[0]]), keys={"measures": {
               "histogram": {"name": "paid", "title": "Paid", "field": "amount", "edges": [1, 5], "unit": "EUR"}}}),
    Metric("daily_calls", crowd={}, event="call", heard=False),
    Metric("hourly_calls", crowd={}, event="call", heard=False, keys={"period": "hour"}),
    Metric("everybody", ["answer"], ANSWERS, possible=list(ANSWERS), blind=["answer"], event="stay",
           sends=lambda atom: {}),
    Metric("asked", ["answer"], {("yes",): 20}, possible=[("yes",)], blind=["answer"], event="stay", purpose="asked",
           sends=lambda atom: {}),
]}
