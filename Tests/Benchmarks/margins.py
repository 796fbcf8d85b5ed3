"""Margins of released numbers, in miniature: the mechanism, the attacks on it, and what each attack is left with.

A crowd like the shop sample's (page × system × screen, heavy-tailed) is counted. Noise is drawn once for each interaction of dimensions,
in two layers, and every grouping's numbers are sums of interactions, so that they add up and no number can be computed in two ways. Small
numbers are left out. Each attack is the best linear unbiased estimate (generalized least squares, the covariance known) of something that
the page on margins protects. Its standard deviation in theory stands beside that over many draws; with noise off the same
estimate has to be exact, or it would test nothing.

The daemon draws discrete Gaussian noise by a key; this program rounds normal noise of a seeded generator. It needs numpy only.
The exit status is 1 where a promise is not kept."""

import argparse
import collections
import csv
import gzip
import itertools
import json
import os
import sys

import numpy as np

SAMPLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Deploy/sample")
K = 20
# The least standard deviation of a count of device days. Unit: devices.
LEAST = K / 4
# The least standard deviation of a count of events. Unit: contribution bounds.
LEAST_BOUNDS = K / 10
# Both layers alike: one day against the mean of all others is left with the fresh one alone.
FRESH = 1.0
# The bound on a device's events is the smallest that cuts no larger share of them.
CUT = 0.03
NORMAL = 1.96


class Settings:
    """How much of the noise is drawn: a control. With less than all of it promises have to break."""

    noise = 1.0


SYSTEMS = ["Windows", "macOS", "Linux", "iOS", "Android", "other"]
PAGES = {
    "Home": ["home"], "Catalog": ["catalog", "filter_results", "compare"], "Product": ["product_view", "review_page"],
    "Search": ["search"], "Cart": ["cart", "add_to_cart", "wishlist_add"],
    "Checkout": ["shipping_details", "payment_details"],
    "Trouble": ["error_page", "payment_error", "checkout_bug", "support_chat"]}
SIZES = {"page": len(PAGES), "os": len(SYSTEMS), "screen": 3}


# The crowd -----------------------------------------------------------------------------------------------------------

def system(agent):
    for mark, name in (("iPhone", 3), ("iPad", 3), ("Android", 4), ("Windows", 0), ("Mac OS", 1), ("Linux", 2)):
        if mark in agent:
            return name
    return 5


def crowd(count, rng):
    """Events by device and page, systems and screens: real devices, each with one day of a random shopper."""
    with gzip.open(os.path.join(SAMPLE, "devices.ndjson.gz"), "rt") as lines:
        kinds = [(system(one["user_agent"] or ""), (min(one["screen_width"], one["screen_height"]) >= np.array([600, 1024])).sum())
                 for one in map(json.loads, lines)]
    page = {event: place for place, events in enumerate(PAGES.values()) for event in events}
    days = collections.defaultdict(lambda: np.zeros(len(PAGES), int))
    with gzip.open(os.path.join(SAMPLE, "shop.csv.gz"), "rt") as lines:
        for row in csv.DictReader(lines):
            if row["event"] in page:
                days[row["user_id"], row["timestamp"][:10]][page[row["event"]]] += 1
    chosen = np.array(kinds)[rng.integers(len(kinds), size=count)]
    events = np.array(list(days.values()))[rng.integers(len(days), size=count)]
    return events, chosen[:, 0], chosen[:, 1]


def clip(events, bound):
    """Events of each device up to the bound, page by page."""
    before = np.minimum(np.cumsum(events, axis=1), bound)
    return np.diff(before, axis=1, prepend=0)


# The mechanism -------------------------------------------------------------------------------------------------------

def subsets(dimensions):
    return [frozenset(one) for size in range(len(dimensions) + 1) for one in itertools.combinations(sorted(dimensions), size)]


def cells(dimensions):
    return int(np.prod([SIZES[d] for d in dimensions] or [1]))


def rest(dimensions):
    """What is left of one cell of a table once its means by every dimension are taken out. Unit: of 1, squared."""
    return float(np.prod([1 - 1 / SIZES[d] for d in dimensions] or [1]))


def layer(effect, least):
    """The standard deviation of one layer of an interaction's noise: no whole-number combination is closer than `least`."""
    return least / np.sqrt(rest(effect))


def deviation(grouping, least):
    """That of one layer of a published number of a grouping: hardly more."""
    return least * np.sqrt(np.prod([1 + 1 / SIZES[d] ** 2 for d in grouping] or [1]))


def interaction(table):
    """A table less its means by every dimension."""
    for place in range(table.ndim):
        table = table - table.mean(axis=place, keepdims=True)
    return table


def released(tables, least, rng, on=True):
    """One day's numbers of all groupings, from the exact tables of all groupings and their parts: O(cells × 2^dimensions)."""
    drawn = {}
    for effect, table in tables.items():
        scale = Settings.noise * on * layer(effect, least)
        drawn[effect] = interaction(table + sum(np.rint(rng.normal(0, factor * scale, table.shape)) for factor in (1, FRESH)))
    return {grouping: sum(
        drawn[effect].reshape([SIZES[d] if d in effect else 1 for d in sorted(grouping)]) / cells(grouping - effect)
        for effect in subsets(grouping)) for grouping in tables}


def count(groupings, places, values):
    """Exact tables of values by grouping. Places: by dimension, the bucket of each value."""
    tables = {}
    for grouping in groupings:
        axes = sorted(grouping)
        table = np.zeros([SIZES[d] for d in axes])
        np.add.at(table, tuple(places[d] for d in axes), values) if axes else table.__iadd__(values.sum())
        tables[grouping] = table
    return tables


# Attacks -------------------------------------------------------------------------------------------------------------

Question = collections.namedtuple("Question", "name day kept fresh")


def covariance(questions):
    """Answers to one question share the kept layer, and on one day the fresh one as well."""
    return np.array([[(a.name == b.name) * a.kept ** 2 + (a[:2] == b[:2]) * a.fresh ** 2 for b in questions] for a in questions])


def estimate(rows, noise, target):
    """The best unbiased estimate of target·x from rows·x + noise: its coefficients and standard deviation."""
    root = np.linalg.cholesky(noise)
    white = np.linalg.solve(root, rows)
    best = np.linalg.solve(root.T, np.linalg.pinv(white).T @ target)
    assert np.allclose(best @ rows, target, atol=1e-6), "the numbers do not tell the target"
    return best, np.sqrt(best @ noise @ best)


class Attacks:
    """Carries attacks out and keeps the table."""

    def __init__(self, draws, rng):
        self.draws, self.rng, self.rows, self.failed = draws, rng, [], []

    def line(self, name, unit, truth, theory, seen, promise, off, holds):
        self.rows.append((name, unit, truth, theory, seen, promise, off, "kept" if holds else "BROKEN"))
        if not holds:
            self.failed.append(name)

    def linear(self, name, rows, target, questions, crowd, promise, unit="devices"):
        """Estimates target·crowd. Promise: the least standard deviation; None where there is none."""
        rows, target, crowd = np.array(rows, float), np.array(target, float), np.array(crowd, float)
        questions = [Question(q.name, q.day, Settings.noise * q.kept, Settings.noise * q.fresh) for q in questions]
        best, theory = estimate(rows, covariance(questions), target)
        names, moments = list({q.name for q in questions}), list({q[:2] for q in questions})
        errors = []
        for _ in range(self.draws):
            kept, fresh = dict(zip(names, self.rng.normal(size=len(names)))), dict(zip(moments, self.rng.normal(size=len(moments))))
            noise = [np.rint(kept[q.name] * q.kept) + np.rint(fresh[q[:2]] * q.fresh) for q in questions]
            errors.append(best @ (rows @ crowd + noise) - target @ crowd)
        off = best @ (rows @ crowd) - target @ crowd
        seen = np.std(errors)
        # Over 200 draws an empirical standard deviation is off by 5 %; four of these.
        slack = 4 / np.sqrt(2 * self.draws)
        holds = abs(off) < 1e-6 and abs(seen / theory - 1) < slack and (promise is None or theory >= promise * 0.9999)
        self.line(name, unit, target @ crowd, theory, seen, promise, off, holds)


def device_attacks(attacks):
    """Counts of devices: each set of events has noise of its own, over what devices are."""
    one = lambda names, kept=LEAST: [Question(n, 0, kept, FRESH * kept) for n in names]
    attacks.linear("both of two sets: |A| + |B| − |A∪B|", [[1, 0, 1], [0, 1, 1], [1, 1, 1]], [0, 0, 1], one("ABU"), [256, 43, 1], LEAST)
    for size in (3, 4):
        sets = list(itertools.product([0, 1], repeat=size))[1:]
        unions = [union for n in range(1, size + 1) for union in itertools.combinations(range(size), n)]
        rows = [[int(any(s[i] for i in union)) for s in sets] for union in unions]
        attacks.linear(f"all of {size} sets, by their unions", rows, [int(all(s)) for s in sets], one(range(len(rows))),
                       [40] * (len(sets) - 1) + [3], LEAST)
    # Numbers add up, so that a withheld bucket's number is its own draw, and no closer.
    groupings, systems = [frozenset(), frozenset(["os"])], np.repeat(np.arange(SIZES["os"]), [50, 50, 50, 3, 50, 50])
    exact = count(groupings, {"os": systems}, np.ones(len(systems)))
    releases = [released(exact, LEAST, attacks.rng, on) for on in [False] + [True] * attacks.draws]
    rests = [one[groupings[0]] - np.delete(one[groupings[1]], 3).sum() for one in releases]
    seen, theory = np.std(rests[1:]), Settings.noise * deviation({"os"}, LEAST) * np.sqrt(1 + FRESH ** 2)
    attacks.line("a withheld bucket: total − five siblings", "devices", 3, theory, seen, LEAST, rests[0] - 3,
                 theory >= LEAST and abs(rests[0] - 3) < 1e-6 and abs(seen / theory - 1) < 0.2)
    kept = deviation({"os"}, LEAST)
    for name, shares, promise in (
            ("3 devices, the same each day: one day", [1], LEAST), ("  mean of 30 days", [1 / 30] * 30, LEAST),
            ("  one day − another", [1, -1], LEAST), ("  one day − mean of 29", [1] + [-1 / 29] * 29, LEAST),
            ("  device days of 10 days, less those of 20 others", [1] * 10 + [-0.5] * 20, LEAST),
            ("  comes on day 15 and stays: mean (no promise)", [-1 / 14] * 14 + [1 / 16] * 16, None)):
        questions = [Question("q", day, kept, FRESH * kept) for day in range(len(shares))]
        attacks.linear(name, np.eye(len(shares)), shares, questions, [3] * len(shares), promise)
    attacks.linear("one question under five names", [[1]], [1], one("q"), [3], LEAST)
    attacks.linear("  if each name were drawn anew (no promise)", np.ones((5, 1)), [1], one(range(5)), [3], None)
    attacks.linear("  known to be the same 3 in 8 event sets (none)", np.ones((8, 1)), [1], one(range(8), kept), [3], None)


def whole_numbers(attacks, groupings, name, unit, least, trials):
    """Theorem 2 itself: whole-number combinations of published numbers, from single cells to dense ones."""
    lowest, order = np.inf, sorted(set().union(*groupings))
    for trial in range(trials):
        target = np.zeros([SIZES[d] for d in order])
        for grouping in groupings:
            shape = [SIZES[d] if d in grouping else 1 for d in order]
            target = target + attacks.rng.integers(-1, 2, shape) * (attacks.rng.random(shape) < attacks.rng.choice([0.02, 0.1, 0.9]))
        variance = 0.0
        for effect in {part for grouping in groupings for part in subsets(grouping)}:
            gone = tuple(place for place, d in enumerate(order) if d not in effect)
            variance += layer(effect, least) ** 2 * (interaction(target.mean(axis=gone)) ** 2).sum()
        lowest = min(lowest, Settings.noise * np.sqrt(variance)) if target.any() else lowest
    attacks.line(name, unit, 0, lowest, lowest, least, 0, lowest >= least * 0.9999)


def event_attacks(attacks, bound):
    """Counts of events and sums: metrics that share events, and none that follows from others."""
    promise = LEAST_BOUNDS * bound
    for size, text in ((3, "triangle, halves"), (4, "four metrics of three, thirds")):
        rows = 1 - np.eye(size)
        ways = [np.linalg.solve(rows, h) for h in itertools.product(range(-2, 3), repeat=size) if any(h)]
        kept = promise / np.sqrt(min(1, min(way @ way for way in ways)))
        attacks.linear(f"{text}: one event's number", rows, np.eye(size)[0], [Question(m, 0, kept, FRESH * kept) for m in range(size)],
                       [14] + [39] * (size - 1), promise, "events")
    cell = deviation({"os", "page"}, promise)
    attacks.linear("one device at its bound, in a page of a system", [[1]], [1], [Question("cell", 0, cell, FRESH * cell)], [bound],
                   promise, "events")
    clips = [Question(clip, 0, LEAST_BOUNDS * clip, FRESH * LEAST_BOUNDS * clip) for clip in (150, 50)]
    attacks.linear("a sum under two clips: what is above the lower", [[1, 1], [1, 0]], [0, 1], clips, [1800, 90], LEAST_BOUNDS * 150, "EUR")
    questions = [Question("t", day, promise, FRESH * promise) for day in range(7)]
    attacks.linear("a day − (its week − the six others)", np.eye(7), [1] + [0] * 6, questions, [20] * 7, promise, "events")


def other_attacks(attacks, sigma):
    """What is no linear estimate: existence, prices, forged devices, twins."""
    rng, draws = attacks.rng, 100 * attacks.draws
    shown = lambda floor: np.mean((floor >= K) & (np.rint(floor + rng.normal(0, sigma, draws)) >= K + NORMAL * sigma))
    attacks.line("a bucket of exactly k is shown", "chance", 0, 1 / 40, shown(K), None, 1, shown(K) <= 1 / 40 + 0.004)
    attacks.line("a bucket of k − 1 is shown", "chance", 0, 0, shown(K - 1), None, 0, shown(K - 1) == 0)
    step = max(np.mean(np.abs(rng.normal(0, sigma, draws) - at) < 0.5) for at in np.arange(-2, 3))
    attacks.line("presence by what is missing: the largest step", "chance", 0, 1 / (sigma * np.sqrt(2 * np.pi)), step, None, 1, step < 0.08)
    attacks.linear("k − 1 forged devices and one real", [[1, 1]], [1, 1], [Question("c", 0, sigma / np.sqrt(2), sigma / np.sqrt(2))],
                   [K - 1, 1], LEAST)
    # 57 orders and 1,148.44 EUR at 4.99, 49.99 and 149: how many price lists fit.
    counted, spent = 57, 114844
    solutions = lambda tolerance, money: sum(
        abs(a + b + c - counted) <= tolerance and abs(499 * a + 4999 * b + 14900 * c - spent) <= money
        for a in range(0, counted + int(tolerance) + 1) for b in range(0, 40) for c in range(0, 12))
    fits = solutions(NORMAL * LEAST_BOUNDS * np.sqrt(2) * 2, NORMAL * LEAST_BOUNDS * np.sqrt(2) * 15000)
    off = solutions(0, 0)
    attacks.line("price list: solutions within the margins", "number", off, fits, fits, None, off, fits > 100 and off == 1)


def twins(attacks, groupings, six, bound):
    """Everything of one day with and without one device that hits every bound: the evidence is at most the stated cost."""
    moves = [1.0] * len(groupings) * (1 + SIZES["page"]) + [bound] * len(six)
    scale = [layer(g, LEAST) for g in groupings] * (1 + SIZES["page"]) + [layer(g, LEAST_BOUNDS * bound) for g in six]
    # Whoever has many other days may know the kept layer: a day costs what the fresh one hides.
    moves, scale = np.array(moves), FRESH * np.array(scale)
    stated = (moves ** 2 / (2 * scale ** 2)).sum()
    noise = np.rint(attacks.rng.normal(0, Settings.noise * scale, (10000, len(scale))))
    evidence = (((noise + moves) ** 2 - noise ** 2) / (2 * scale ** 2)).sum(axis=1)
    seen, epsilon = evidence.mean(), stated + 2 * np.sqrt(stated * np.log(1000))
    attacks.line("twins: mean log likelihood ratio of a day", "rho", 0, stated, seen, None, np.inf, abs(seen / stated - 1) < 0.06)
    beyond = np.mean(evidence > epsilon)
    attacks.line(f"twins: draws beyond e^{epsilon:.2f} (delta 0.001)", "share", 0, 0.001, beyond, None, 1, beyond <= 0.001)
    typical = sum(4 / (2 * (FRESH * layer(g, LEAST)) ** 2) for g in groupings) + sum(
        (19 if "page" in g else 49) / (2 * (FRESH * layer(g, LEAST_BOUNDS * bound)) ** 2) for g in six)
    return stated, typical


# What readers get ----------------------------------------------------------------------------------------------------

def readers(size, groupings, six, rng, draws):
    """Errors and rows of the six groupings at one size; whether margins hold."""
    events, systems, screens = crowd(size, rng)
    bound = next(b for b in itertools.count(1) if clip(events, b).sum() >= (1 - CUT) * events.sum())
    cut, mean = 1 - clip(events, bound).sum() / events.sum(), events.sum() / size
    events = clip(events, bound)
    places, factor = {"os": systems, "screen": screens}, np.sqrt(1 + FRESH ** 2)
    views = [events.sum(axis=1)] + list(events.T)
    tables = [count(groupings, places, view > 0) for view in views]
    long = {"page": np.tile(np.arange(len(PAGES)), size), "os": np.repeat(systems, len(PAGES)), "screen": np.repeat(screens, len(PAGES))}
    exact = count(six, long, events.ravel())
    margins = {g: NORMAL * factor * deviation(g, LEAST) for g in groupings}
    of_events = {g: NORMAL * factor * deviation(g, LEAST_BOUNDS * bound) for g in six}
    outside, numbers, rows, parts = 0, 0, [], collections.defaultdict(list)
    for _ in range(draws):
        for page, table in enumerate(tables):
            fitted = released(table, LEAST, rng)
            for g in groupings:
                error = np.abs(fitted[g] - table[g])
                outside, numbers = outside + (error > margins[g] + 0.5).sum(), numbers + error.size
                parts[len(g) + (page > 0)].append(error.ravel())
                rows.append(((table[g] >= K) & (np.rint(fitted[g]) >= K + margins[g])).sum())
        fitted = released(exact, LEAST_BOUNDS * bound, rng)
        for g in six:
            error = np.abs(fitted[g] - exact[g])
            outside, numbers = outside + (error > of_events[g] + 0.5).sum(), numbers + error.size
    of = lambda ways: np.percentile(np.concatenate(parts[ways]), 95)
    large = sum((t[g] >= K).sum() for t in tables for g in groupings)
    stands = sum((t[g] >= K + margins[g]).sum() for t in tables for g in groupings)
    far = sum((t[g] >= K + 2 * margins[g]).sum() for t in tables for g in groupings)
    print(f"{size:>7,} {bound:>5} {100 * cut:>5.1f} | {large:>4} {stands:>5} {far:>5} {sum(rows) / draws:>7.1f} | "
          f"{of(0):>5.1f} {of(1):>7.1f} {of(2):>7.1f} | "
          f"{100 * of_events[six[0]] / events.sum():>6.2f} {100 * of_events[six[1]] / (60 * mean):>7.1f} | "
          f"{100 - 100 * outside / numbers:>6.2f}")
    return bound, outside / numbers


def check_arithmetic(rng):
    """Without noise the interactions add up to what was counted; with it to what is published of coarser groupings."""
    groupings = subsets(["os", "page", "screen"])
    places = {d: rng.integers(SIZES[d], size=500) for d in SIZES}
    exact = count(groupings, places, np.ones(500))
    for on in (False, True):
        numbers = released(exact, LEAST, rng, on)
        leaf = numbers[frozenset(SIZES)]
        for grouping, table in numbers.items():
            gone = tuple(place for place, d in enumerate(sorted(SIZES)) if d not in grouping)
            assert np.allclose(leaf.sum(axis=gone), table), "groupings do not add up"
            assert on or np.allclose(table, exact[grouping]), "interactions do not add up"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=200, help="how often each release is drawn (200)")
    parser.add_argument("--seed", type=int, default=1, help="of crowds and noise (1)")
    parser.add_argument("--noise", type=float, default=1, help="how much of the noise is drawn: below 1 promises break (1)")
    parser.add_argument("--sizes", type=int, nargs="*", default=[300, 500, 2000, 20000], help="devices")
    given = parser.parse_args()
    Settings.noise, rng = given.noise, np.random.default_rng(given.seed)
    check_arithmetic(rng)
    print("devices bound cut % | >= k  >=k+m >=k+2m  shown | total   1-way   2-way | events  of 60 | within margin %\n"
          "(errors that 19 of 20 numbers of devices keep to; margins of events in % of the total, and of what 60 devices of a system send)")
    groupings = [frozenset(g) for g in ((), ("os",), ("screen",))]
    six = groupings + [g | {"page"} for g in groupings]
    misses = []
    for size in given.sizes:
        bound, missed = readers(size, groupings, six, rng, max(20, given.draws // 2))
        misses.append(missed)
    attacks = Attacks(given.draws, rng)
    device_attacks(attacks)
    whole_numbers(attacks, groupings, "any whole-number combination, devices", "devices", LEAST, 20000)
    whole_numbers(attacks, six, "any whole-number combination, events", "events", LEAST_BOUNDS * bound, 5000)
    event_attacks(attacks, bound)
    other_attacks(attacks, Settings.noise * deviation({"os"}, LEAST) * np.sqrt(1 + FRESH ** 2))
    stated, typical = twins(attacks, groupings, six, bound)
    attacks.line("margins: numbers outside, of 1", "share", 0, 0.05, max(misses), None, 0, max(misses) < 0.055)
    print(f"\n{'attack':<50} {'unit':<8} {'truth':>7} {'sd':>8} {'seen':>8} {'least':>7} {'off by with noise off':>22}")
    for name, unit, truth, theory, seen, promise, off, verdict in attacks.rows:
        print(f"{name:<50} {unit:<8} {truth:>7.4g} {theory:>8.3f} {seen:>8.3f} {'-' if promise is None else format(promise, '.3g'):>7} "
              f"{abs(off):>22.3g} {verdict}")
    print(f"\nrho of a device and day, this metric: {stated:.2f} at every bound, {typical:.2f} for 7 events on three pages")
    for name in attacks.failed:
        print(f"not kept: {name}", file=sys.stderr)
    return 1 if attacks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
