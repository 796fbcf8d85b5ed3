"""The gallery's plans, one after another as its rooms change, and who visits it."""

import json

K = 5
HOUR = 3600
ROTATION = HOUR
# PostgreSQL does not see the moved clock and refuses a far future.
DAYS = ["2026-02-25", "2026-02-27", "2026-03-02", "2026-03-04"]
HEAD = f"""
app: {{name: gallery, title: Gallery, owner: Tests, contact: tests@example.com, audience: 300, threshold: {K},
  grace: 3 hours, time_zone: Europe/Vienna}}
purposes:
  product: {{explanation: To see what is used., consent: not_required, rotation: 1 hour, retention: 400 days}}
  statistics: {{explanation: To see what is used., consent: not_required, rotation: 1 hour, retention: 400 days}}
dimensions:
  os: {{title: System, field: os, list: [ios, android, windows, linux], partitions: devices}}
  platform: {{title: Platform, of: os, groups: {{mobile: [ios, android], desktop: [windows, linux]}}}}
  room: {{title: Room, field: room, list: ROOMS}}
  page: {{title: Page, field: path, route: [/tea, /cart]}}
  query: {{title: Search term, field: query, revealed: {{most: 4}}}}
  row: {{title: Row, field: row, list: {json.dumps([f"r{i:03}" for i in range(109)])}}}
  seat: {{title: Seat, field: seat, list: {json.dumps([f"s{i:03}" for i in range(99)])}}}
metrics:
"""
METRIC = """  {name}:
    {{title: {title}, events: {events}, question: "{title}?", decision: None., owner: Tests, expires: 2027-02-01,
    purpose: {purpose}, {rest}}}
"""


def metric(name, title, events, rest, purpose="product"):
    return METRIC.format(name=name, title=title, events=json.dumps(events), rest=rest, purpose=purpose)


SAME = "".join([
    metric("entries", "Entries", ["entry"], "dimensions: [os], period: day, rollups: [week], measures: {reach: true}"),
    metric("passes", "Passes", ["pass"], "dimensions: [os], period: month, margins: [[os], [platform]]"),
    metric("glances", "Glances", ["glance"], "dimensions: [os], period: day, rollups: [month], sampling: 0.25"),
    metric("hum", "Hum", ["hum"], "dimensions: [os], period: week, contribution_bound: 2, margins: [[os]],"
           " measures: {sums: {loudness: {field: amount, from: 0, to: 100, decimals: 1, unit: dB}}}", "statistics"),
    metric("seats", "Seats", ["sit"], "dimensions: [row, seat], period: month, contribution_bound: 1, margins: [[row, seat]]",
           "statistics"),
    metric("often", "How often", ["knock"], "dimensions: [os], period: day, measures: {frequency: {bands: [1, 2, 4]}}"),
    metric("way", "Way", ["view", "bought"], "dimensions: [os], period: day, margins: [[os], [step]], measures: {funnel:"
           " {steps: [{title: Tea, event: view, where: {page: /tea}}, {title: Cart, event: view, where: {page: /cart}},"
           " {title: Paid, event: bought}]}}"),
    metric("searches", "Searches", ["search"], "dimensions: [query, os], period: day, margins: [[query], [query, os]],"
           " contribution_bound: 1000"),
])
# Buckets change, then a dimension comes in and devices are published no more.
ROOMS = ["[hall, cellar, attic]", "[hall, cellar, roof, garden]", "[hall, cellar, roof, garden]"]
SPENT = "sums: {spent: {field: amount, from: -20, to: 100, decimals: 2, unit: EUR}}"
VISITS = [
    f"dimensions: [room], period: day, measures: {{reach: true, {SPENT}}}",
    f"dimensions: [room], period: day, measures: {{reach: true, {SPENT}}}",
    f"dimensions: [os, room], period: day, measures: {{{SPENT}}}, margins: [[os], [room], [platform, room]]",
]
PLANS = [
    HEAD.replace("ROOMS", rooms) + SAME + metric("visits", "Visits", ["visit"], visits)
    for rooms, visits in zip(ROOMS, VISITS)]
# Devices by system; those of linux are too few.
CROWD = {"ios": 21, "android": 14, "windows": 9, "linux": 3, "plan9": 6}
# What they look for, by day: what was learned on one is known on the next.
TERMS = [["apple pie"], ["apple pie"], ["apple pie", "tart"], ["tart", "a & b <i>"]]
