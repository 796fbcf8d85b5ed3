"""An attacker adds up and subtracts what a real daemon gave to analysts and two partners over a week, and compares it with the truth.

The same two sets of devices, which share one, are counted under sixteen pairs of events, so that each attack is made with sixteen draws of
noise a day. In the control there is no noise, and each attack gives the exact number."""

import json
import os
import time

import daemon
from daemon import check, say
from moving_clock import MovingClock

DAY = 86400
MONDAY = 1772409600  # 2026-03-02, 0:00 UTC; PostgreSQL does not see the moved clock and refuses a far future
K = 20
BOUND = 5
PAIRS = 16
# Two sets of a hundred devices, of which the last of the first is the first of the second.
DEVICES = 199
SETS = {"made": range(100), "found": range(99, DEVICES), "either": range(DEVICES)}
# Devices of the other shade: twelve of each set.
FEW = {*range(12), *range(DEVICES - 12, DEVICES)}
# On every second day this one is not there.
SHY = 50
HEAD = f"""
app: {{name: notes, title: Notes, owner: Tests, contact: tests@example.com, audience: 300, threshold: {K}, grace: 30 days}}
purposes:
  product: {{explanation: To see what is used., consent: not_required, rotation: 1 day, retention: 300 days}}
dimensions:
  shade: {{title: Shade, field: shade, list: [a], partitions: devices}}
metrics:
"""
METRIC = """  {name}: {{title: {name}, events: [{events}], question: How many?, decision: None., owner: Tests,
    expires: 2027-02-01, purpose: product, dimensions: [shade], period: day, rollups: [week], contribution_bound: BOUND,
    measures: {{reach: true}}}}
""".replace("BOUND", str(BOUND))
# Reports tell of so many pairs.
TOLD = 3


def metrics():
    """By metric its kind: which devices it counts. Of pairs that reports tell of, the last two ask the same."""
    return {f"{kind}_{pair}": kind.removesuffix("_again") for pair in range(PAIRS) for kind in (*SETS, *["either_again"] * (pair < TOLD))}


def plan():
    text, insights = HEAD, "insights:\n"
    told = {"north": [], "south": []}
    for name, kind in metrics().items():
        pair = int(name.rsplit("_", 1)[1])
        events = ", ".join(f"{event}_{pair}" for event in ("made", "found") if kind in (event, "either"))
        text += METRIC.format(name=name, events=events)
        if pair < TOLD:
            for ask in ("count", "reach"):
                insights += f"  {name}_{ask}: {{title: {name} {ask}, metric: {name}, kind: {ask}, by: [shade]}}\n"
                told["south" if "again" in name else "north"].append(f"{name}_{ask}")
    reports = "".join(f"  {partner}: {{title: {partner}, partner: {partner}, insights: [{', '.join(names)}], period: day,"
                      " formats: [csv, json]}\n" for partner, names in told.items())
    partners = "".join(f"  {partner}: {{title: {partner}, contact: {partner}@example.com}}\n" for partner in told)
    return text + insights + "partners:\n" + partners + "reports:\n" + reports


class House(daemon.Daemon):
    """Days of its life, and what was released of them."""

    def __init__(self, days, noise):
        super().__init__(plan(), name="notes")
        self.days = days
        self.clock = MovingClock(self.folder, MONDAY + DAY // 2)
        self.clock.variables["noise"] = noise
        self.settings = self.clock.variables
        self.start()
        for day in range(days):
            self.clock.move(MONDAY + day * DAY + DAY // 2)
            for device in self.present(day):
                self.send(device, day)
            self.drain()
        self.clock.move(MONDAY + 8 * DAY)
        self.release()

    def present(self, day):
        return [device for device in range(DEVICES) if device != SHY or day % 2 == 0]

    def send(self, device, day):
        at = daemon.instant(MONDAY + day * DAY + DAY // 3)
        events = [{"event": f"{kind}_{pair}", "at": at, "count": self.times(device, pair)}
                  for pair in range(PAIRS) for kind in ("made", "found") if device in SETS[kind]]
        self.take({
            "app": "notes", "batch": os.urandom(16).hex(), "purpose": "product", "window": MONDAY // DAY + day,
            "id": f"{device}", "context": {"shade": "few" if device in FEW else "a"}, "events": events})

    @staticmethod
    def times(device, pair):
        return 1 + (device + pair) % 2

    def truth(self, metric, day, shade):
        """Events and devices; a shade of None is all."""
        pair, kind = int(metric.rsplit("_", 1)[1]), metrics()[metric]
        inside = [
            device for device in self.present(day) if device in SETS[kind] and (shade is None or (shade == "other") == (device in FEW))]
        return sum(self.times(device, pair) * sum(device in SETS[each] for each in ("made", "found") if kind in (each, "either"))
                   for device in inside), len(inside)

    def views(self):
        """What an analyst reads: by metric, period kind, day and shade the row."""
        found = {}
        for metric, view in self.sql("select metric, view_name from analyst.metrics where view_name is not null order by 1"):
            for start, row in self.sql("set role throng_analyst; select extract(epoch from period_start)::bigint, to_jsonb(v)"
                                       f" from analyst.{view} as v"):
                row = json.loads(row)
                shade = None if row["shade"] == "(all)" else row["shade"]
                found[metric, row["period_kind"], (int(start) - MONDAY) // DAY, shade] = row
        return found


def give(house):
    """Reports of each day to both partners. That they have the numbers which analysts read is ShownRowTests'."""
    folder = os.path.join(house.folder, "given")
    for day in range(house.days):
        label = time.strftime("%Y-%m-%d", time.gmtime(MONDAY + day * DAY))
        house.command("report", "--plan", house.plan, "--data", house.data, "--period", label, "--out", os.path.join(folder, label))
    return folder


def deviation(errors):
    """Around the truth, which the attacker wants to know."""
    return (sum(error * error for error in errors) / len(errors)) ** 0.5


def attacks(house, shown):
    """By attack the errors of its estimates. Each is about fewer than k devices, or about what a device may add."""
    def number(metric, day, shade=None, column="devices"):
        value = shown[metric, "day", day, shade][column]
        check(value is not None, metric, day, shade, "has no number of", column)
        return value

    days = range(house.days)
    found = {"overlap": [], "siblings": [], "siblings' events": [], "another day": [], "mean": []}
    for pair in range(PAIRS):
        one, other, either = (f"{kind}_{pair}" for kind in SETS)
        for day in days:
            found["overlap"].append(number(one, day) + number(other, day) - number(either, day) - 1)
            for metric in (one, other):
                events, devices = house.truth(metric, day, "other")
                found["siblings"].append(number(metric, day) - number(metric, day, "a") - devices)
                found["siblings' events"].append(number(metric, day, column="events") - number(metric, day, "a", "events") - events)
        found["another day"] += [number(one, day) - number(one, day + 1) - 1 for day in days[:-1:2]]
        for metric in (one, other, either):
            errors = [number(metric, day) - house.truth(metric, day, None)[1] for day in days]
            found["mean"].append(sum(errors) / len(errors))
    return found


def small(house, shown):
    """Nothing is told of fewer than k devices."""
    for (metric, kind, day, shade), row in shown.items():
        if kind == "day" and day < house.days and house.truth(metric, day, shade)[1] < K:
            check(row["events"] is None and row["devices"] is None and row["withheld"].startswith("withheld"), metric, day, row)


def alike(shown):
    """One question has one answer, whatever it is called; and a week is the sum of its days."""
    days, weeks = 0, 0
    for (metric, kind, day, shade), row in shown.items():
        if metric.startswith("either_again"):
            other = shown[metric.replace("_again", ""), kind, day, shade]
            check(row == other, "a question has two answers:", row, other)
            days += row["events"] is not None
        if kind == "week" and shade is None and day == 0:
            total = sum(shown[metric, "day", each, None]["events"] for each in range(7))
            check(row["events"] == total, "a week is", row, "and its days are", total)
            weeks += 1
    check(days > 0 and weeks > 0, "only", days, "and", weeks, "numbers were compared")


def margins(house, shown):
    """19 of 20 numbers lie within their margins, and margins are narrow enough to be of use."""
    within, count = 0, 0
    for (metric, kind, day, shade), row in shown.items():
        if kind != "day" or day >= house.days or row["events"] is None:
            continue
        events, devices = house.truth(metric, day, shade)
        for value, truth, margin, most in (
                (row["events"], events, row["events_margin"], 0.5 * K * BOUND), (row["devices"], devices, row["devices_margin"], 0.9 * K)):
            check(0 < margin <= most, metric, shade, "has the margin", margin)
            within += abs(value - truth) <= margin
            count += 1
    check(within >= count * 0.88, "only", within, "of", count, "numbers lie within their margins")
    say(f"{within} of {count} numbers lie within their margins")


def test():
    global PAIRS
    house = House(7, noise=True)
    shown = house.views()
    given = give(house)
    small(house, shown)
    alike(shown)
    margins(house, shown)
    # Two dozen draws of the noise that stays make a deviation that is 0.6 of the true one in very bad luck.
    for attack, errors in attacks(house, shown).items():
        unit = K * BOUND / 10 if "events" in attack else K / 4
        found = deviation(errors)
        check(found >= 0.6 * unit, attack, "tells a number with a deviation of", found, "and", unit, "was promised")
        say(f"{attack}: off by {found:.1f} (standard deviation of {len(errors)}); {unit:.0f} was promised")
    house.command("audit", "--data", house.data)
    house.command("audit", "--released", given, "--plan", house.plan)
    check(house.stop() == 0, "serve stops gracefully")

    # What is exact is so each time.
    PAIRS = TOLD
    house = House(2, noise=False)
    shown = house.views()
    small(house, shown)
    for attack, errors in attacks(house, shown).items():
        check(errors and not any(errors), "without noise it is not exact:", attack, errors)
    say("without noise each attack gives the exact number")
    check(house.stop() == 0, "serve stops gracefully")
