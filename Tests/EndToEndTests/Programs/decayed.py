"""What partners kept of older, finer reports tells nothing together with what age has left and what is published later.

Usage: decayed.py [--every]

The sample's shop over four hundred days: its numbers get coarser after 30 days, weeks after 90, and totals after 365. Each
file that was ever delivered is kept. The audit attacks all of them together, and what the house still has, after each step of
age. The control: the same files as a house would have written that withholds small numbers and nothing else. With --every there
is a crowd on each of the days."""

import argparse
import calendar
import collections
import json
import os
import random
import re
import shutil
import time

import daemon
from crowd import devices, sessions
from daemon import check, say
from year import DAY, START, House, date

K = 5
SHOP = "shop"
SYSTEMS = ["Windows", "macOS", "Linux", "Android", "iOS"]
PLATFORMS = {"Windows": "desktop", "macOS": "desktop", "Linux": "desktop", "Android": "mobile", "iOS": "mobile"}
CHANNELS = ["organic", "email", "social", "direct"]
# A whole week and parts of weeks, early, at each age and late; most days between have nobody.
CROWDED = [*range(8), 12, 29, 30, 60, *range(86, 92), 181, 330, 364, 365, 398, 399]
RENEWED = 200
# Mornings after which age has taken something more, and those before; and those on which the house's own numbers are looked at.
AUDITED = [8, 14, 30, 31, 38, 44, 61, 90, 98, 105, 184, 270, 365, 372, 380, 396, 400]
INSIDE = {8, 31, 400}
DECAY = "decay: [{after: 30 days, coarsen: os, to: platform}, {after: 90 days, keep: weeks}, {after: 365 days, keep: totals}]"


def metric(name, events, expires, more):
    return f"""
  {name}: {{title: {name.title()}, events: [{events}], question: What?, decision: That., owner: Tests, expires: {date(expires)},
    purpose: product, period: day, rollups: [week], contribution_bound: 40, {DECAY}, {more}}}"""


def plan(expires=360):
    """Numbers are counted for a year at most; then the plan is renewed."""
    text = f"""
app: {{name: shop, title: Shop, owner: Tests, contact: t@example.com, audience: 200, threshold: {K}, grace: 3 hours}}
purposes:
  product: {{explanation: To see., consent: not_required, rotation: 1 day, retention: 700 days}}
dimensions:
  os: {{title: System, field: os, list: [{", ".join(SYSTEMS)}], partitions: devices}}
  platform: {{title: Platform, of: os, groups: {{desktop: [Windows, macOS, Linux], mobile: [Android, iOS]}}}}
  channel: {{title: Channel, field: channel, list: [{", ".join(CHANNELS)}]}}
metrics:{metric(
        "views", "home, catalog, product_view, search", expires, "dimensions: [os, channel], measures: {reach: true}")}{metric(
        "products", "product_view", expires, "dimensions: [os], measures: {reach: true}")}{metric(
        "browsing", "home, catalog, search", expires, "dimensions: [os], margins: [[os]], measures: {reach: true}")}{metric(
        "purchases", "purchase", expires, '''dimensions: [os, channel],
    measures: {sums: {paid: {field: amount, from: 0, to: 400, decimals: 2, unit: EUR}}}''')}
insights:{"".join(f'''
  {name}_{"_".join(by) or "all"}: {{title: {name} {" ".join(by)}, metric: {name},
    kind: count{", by: [" + ", ".join(by) + "]" if by else ""}}}'''
    for name in METRICS for by in METRICS[name])}
  paid: {{title: Paid, metric: purchases, kind: mean, sum: paid, by: [channel]}}
  reach: {{title: Reach, metric: views, kind: reach, by: [os]}}
partners:
  board: {{title: Board, contact: b@example.com}}
reports:
  daily: {{title: Daily, partner: board, insights: [INSIGHTS], period: day, formats: [json], schedule: 0 5 * * *,
    deliver: [{{folder: out}}]}}
  weekly: {{title: Weekly, partner: board, insights: [INSIGHTS], period: week, formats: [json], schedule: 0 5 * * *,
    deliver: [{{folder: out}}]}}
"""
    names = [f"{name}_{'_'.join(by) or 'all'}" for name in METRICS for by in METRICS[name]] + ["paid", "reach"]
    return text.replace("INSIGHTS", ", ".join(names))


# All groupings of each metric: reports hold whatever is released.
METRICS = {
    "views": [[], ["os"], ["platform"], ["channel"], ["os", "channel"], ["platform", "channel"]],
    "products": [[], ["os"], ["platform"]],
    "browsing": [[], ["os"]],
    "purchases": [[], ["os"], ["platform"], ["channel"], ["os", "channel"], ["platform", "channel"]],
}
EVENTS = {"views": {"home", "catalog", "product_view", "search"}, "products": {"product_view"},
          "browsing": {"home", "catalog", "search"}, "purchases": {"purchase"}}


def system(agent):
    for word, name in (("iPhone", "iOS"), ("iPad", "iOS"), ("Android", "Android"), ("Windows", "Windows"), ("Mac", "macOS"),
                       ("Linux", "Linux")):
        if word in (agent or ""):
            return name
    return "BeOS"


class Renewed(House):
    """A house of one app, the plan of which is written anew; the audit gets each version."""

    def __init__(self):
        super().__init__({SHOP: plan()})
        self.versions = ["--plan", self.written("first.yaml", plan())]

    def written(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(text)
        return path

    def renew(self, day):
        self.at(day, 8)
        check(self.stop() == 0, "serve stops gracefully")
        self.written(os.path.basename(self.plan), plan(expires=day + 300))
        stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.clock.now()))
        self.versions += ["--plan", f"{self.written('second.yaml', plan(expires=day + 300))}@{stamp}"]
        self.start()


class Shop:
    """Who comes on which day, and what of that everybody may know."""

    def __init__(self, house, chance):
        self.house, self.chance = house, chance
        self.systems = [system(each["user_agent"]) for each in devices()]
        self.walks = [(channel, [name for name, _ in steps]) for channel, _, steps in sessions()]
        #: By metric, day and buckets: events, and which devices sent them.
        self.events, self.who = collections.Counter(), collections.defaultdict(set)

    def open(self, day, size):
        self.house.at(day)
        for device in range(size):
            os, (channel, names) = self.chance.choice(self.systems), self.chance.choice(self.walks)
            channel = channel if channel in CHANNELS else "other"
            # Sessions are long, and now and then one is very long.
            names = names[:12] * (3 if self.chance.random() < 0.03 else 1)
            events = [{"event": name, "at": f"{date(day)}T11:00:00Z",
                       **({"fields": {"amount": round(5 + 395 * self.chance.random() ** 3, 2)}} if name == "purchase" else {})}
                      for name in names if any(name in each for each in EVENTS.values())]
            if not events:
                continue
            status, _, body = self.house.post(json.dumps({
                "app": SHOP, "batch": self.chance.randbytes(16).hex(), "purpose": "product", "window": START // DAY + day,
                "id": f"{day} {device}", "context": {"os": os, "channel": channel}, "events": events}))
            check(status == 202, status, body)
            for place, event in enumerate(events):
                for metric, counted in EVENTS.items():
                    if event["event"] in counted:
                        here = {"os": os if os in SYSTEMS else "other", "channel": channel}
                        key = (metric, day, tuple(sorted(here.items())))
                        self.events[key] += 1
                        self.who[key].add(device)
        self.house.drain()

    def truth(self, metric, days, fixed):
        """Events, and at least how many devices sent them on one of the days."""
        events, who = 0, collections.defaultdict(set)
        for (name, day, here), count in self.events.items():
            here = dict(here)
            here["platform"] = PLATFORMS.get(here["os"], "other")
            if name == metric and day in days and all(here[one] == label for one, label in fixed.items()):
                events += count
                who[day] |= self.who[(name, day, tuple(sorted((each, here[each]) for each in ("os", "channel"))))]
        return events, max(map(len, who.values()), default=0)


def size(chance, day):
    """Heavy tails, and days on which hardly anybody comes."""
    return min(160, int(6 / (1 - chance.random()) ** 1.1)) if day % 5 else chance.choice([1, 3, 7, 60])


def keep(house, kept):
    """What partners have by now: nobody takes that back."""
    folder = os.path.join(house.data, "out")
    for name in os.listdir(folder) if os.path.isdir(folder) else []:
        if name.endswith(".json") and not os.path.exists(os.path.join(kept, name)):
            try:
                shutil.copy(os.path.join(folder, name), kept)
            except FileNotFoundError:
                # Its day came just now: a partner who comes later finds nothing either.
                pass


def audit(house, *words, seconds=200, ends=0):
    """How many sources and numbers an audit reads, how long it takes, and what it says. Of files it has to come to its end."""
    started = time.monotonic()
    # Where it has to come to its end, a busy machine gets more time.
    for limit in (seconds, 550):
        text = house.throng("audit", *words, *house.versions, "--seconds", str(limit), ends=ends)
        if ends or "--data" in words or "not examined" not in text:
            break
    read = re.search(r"read (\d+) sources: (\d+) published numbers", text)
    # What is made up may contradict itself, and is looked at apart then.
    check(read and (ends or "--data" in words or "not examined" not in text), text[-2000:])
    return int(read[1]), int(read[2]), time.monotonic() - started, text


def naive(shop, kept, folder):
    """The same files as a house would have written them that withholds what stands for fewer than k devices, and no more."""
    os.makedirs(folder)
    filled = 0
    for name in sorted(os.listdir(kept)):
        with open(os.path.join(kept, name)) as file:
            document = json.load(file)
        if not name.endswith(".manifest.json"):
            days = range(day_of(document["period"]["start"]), day_of(document["period"]["end"]))
            for insight in document["insights"]:
                if insight["status"] != "answered" or insight["kind"] != "count":
                    continue
                names = [each["name"] for each in insight["dimensions"]]
                for row in insight["rows"]:
                    if row["status"] != "withheld":
                        continue
                    events, known = shop.truth(insight["metric"], days, dict(zip(names, row["buckets"])))
                    if known >= K:
                        row["value"], row["status"] = events, "published"
                        filled += 1
        with open(os.path.join(folder, name), "w") as file:
            json.dump(document, file)
    return filled


def day_of(text):
    return (calendar.timegm(time.strptime(text[:10], "%Y-%m-%d")) - START) // DAY


def spread(found):
    """What was pinned, in short."""
    return sorted(set(re.findall(r"^- (\w+):", found, re.MULTILINE)))


def test():
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", action="store_true")
    words = parser.parse_args()
    chance = random.Random(20260302)
    house = Renewed()
    kept = os.path.join(house.folder, "kept")
    os.mkdir(kept)
    check(house.clock.run("key", "new", "--data", house.data)[0] == 0, "a key")
    house.start()
    shop = Shop(house, chance)
    crowded, before = range(400) if words.every else CROWDED, 0
    for day in sorted({*crowded, *AUDITED, RENEWED}):
        house.settle(day)
        keep(house, kept)
        if day in AUDITED:
            sources, numbers, seconds, _ = audit(house, "--released", kept)
            check(numbers >= before, "what partners kept gets less")
            before = numbers
            say(f"day {day}: nothing pinned in {numbers} numbers of {sources} files ({seconds:.0f} s)")
        if day in (AUDITED if words.every else INSIDE):
            # Few numbers of many weeks leave more unknowns than there is time for.
            _, still, seconds, text = audit(house, "--data", house.data, seconds=200 if words.every else 30)
            unproved = re.search(r"(\d+) stay unproved", text)[1]
            say(f"day {day}: nor in the {still} that are left of all releases ({seconds:.0f} s; {unproved} cells are unproved)")
        if day == RENEWED:
            house.renew(day)
        if day in crowded:
            shop.open(day, size(chance, day))
    check(numbers > 2 * still > 0, "age has taken little:", numbers, still)
    control = os.path.join(house.folder, "naive")
    filled = naive(shop, kept, control)
    text = audit(house, "--released", control, ends=2)[3]
    say(f"the control: with {filled} numbers more that stand for {K} devices themselves, these are pinned:", spread(text))
    check(house.stop() == 0, "serve stops gracefully")


if __name__ == "__main__":
    daemon.main(test)
