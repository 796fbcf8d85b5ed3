"""An analyst explores metrics of every kind: over weeks and months, in former layouts, sampled, of identifiers, with
labels that were learned, by coarser dimensions, and with more rows than one file has.

Every page and its CSV is compared with what its own SQL gives in psql as throng_analyst. The plan changes twice between
days, on a clock that the test moves. THRONG_TEST_SCREENSHOTS names a folder that keeps pictures of the pages.
"""

import calendar
import collections
import csv
import hashlib
import hmac
import html
import io
import json
import os
import time

import daemon
import dashboards
from browser import Browser
from daemon import check, say
from explored import Explored, compare, crawl, enter
from gallery_plans import CROWD, DAYS, HOUR, K, PLANS, ROTATION, TERMS
from moving_clock import MovingClock
from portal import pictures


class Gallery(Explored):
    """A daemon on a clock that is moved from day to day, with everything released at the end."""

    def __init__(self):
        super().__init__(PLANS[0], "gallery")
        self.clock = MovingClock(self.folder, self.morning(0))
        self.settings = self.clock.variables

    @staticmethod
    def morning(day):
        """Ten o'clock and a second, UTC, so that no window ends by itself while it is posted to."""
        return calendar.timegm(time.strptime(DAYS[day], "%Y-%m-%d")) + 10 * HOUR + 1

    def fill(self):
        for day in range(len(DAYS)):
            if day < len(PLANS):
                if day:
                    check(self.stop() == 0, "SIGTERM")
                with open(self.plan, "w") as file:
                    file.write(PLANS[day])
            self.clock.move(self.morning(day))
            if day < len(PLANS):
                self.start()
            # What is known on a day is in the releases of those before.
            self.release()
            self.crowd(day)
            self.drain()
            # The window's end, so that its identifiers are counted.
            self.clock.move(self.morning(day) + 2 * ROTATION)
            deadline = time.monotonic() + 400
            while os.listdir(os.path.join(self.data, "windows")):
                check(time.monotonic() < deadline, "windows stay open")
                time.sleep(0.1)
            self.drain()
        self.clock.move(self.morning(0) + 40 * 86400)
        self.release()

    def release(self):
        code, out, talk = self.clock.run("release", "--plan", self.plan, "--data", self.data)
        check(code == 0, "throng release ended with", code, out, talk)

    def crowd(self, day):
        window = self.clock.now() // ROTATION
        key = {term: hmac.new(
            hashlib.sha256(f"throng revealed\0gallery\0product\0query\0{window}".encode()).digest(), term.encode(),
            hashlib.sha256).hexdigest()[:32] for term in TERMS[day]}
        place = 0
        for system, count in CROWD.items():
            for _ in range(count):
                place += 1
                self.visit(window, place, system, day, key)
        # Whoever comes after k have sent it is counted by its name.
        for term in TERMS[day]:
            self.reveal(window, term)
            for number in range(2 * K):
                system = ["ios", "android"][number % 2]
                self.send("product", window, f"late {term} {number}", system, [("search", {"query": "#" + key[term]})])

    def visit(self, window, place, system, day, key):
        rooms = ["hall", "cellar", "attic"] if day == 0 else ["hall", "cellar", "roof", "garden"]
        way = [("view", {"path": "/tea"}), ("view", {"path": "/cart"}), ("bought", {})][:1 + place % 3]
        self.send("product", window, place, system, [
            ("visit", {"room": rooms[place % (2 + day // 2)], "amount": place % 5 - 3.25}), ("entry", {}), ("pass", {}),
            ("glance", {}), ("glance", {}), *[("knock", {})] * (1 + place % 4), *way,
            *[("search", {"query": "#" + hashed}) for hashed in key.values()]])
        self.send("statistics", window, place, system, [
            ("hum", {"amount": place % 30 - 20}), ("sit", {"row": f"r{place:03}", "seat": f"s{place:03}"})])

    def send(self, purpose, window, who, system, events):
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.clock.now()))
        status, _, body = self.post(json.dumps({
            "app": "gallery", "batch": os.urandom(16).hex(), "purpose": purpose, "window": window, "id": f"{who} {window}",
            "context": {"os": system},
            "events": [{"event": name, "at": at, "fields": fields} for name, fields in events]}))
        answer = json.loads(body)
        check(status == 202 and not answer["refused"], "a batch was answered with", status, body)

    def reveal(self, window, term):
        line = self.connect()
        line.request("POST", "/v1/reveals", json.dumps({
            "app": "gallery", "purpose": "product", "window": window, "dimension": "query", "value": term}))
        answer = line.getresponse()
        body = answer.read()
        line.close()
        check(answer.status == 202, "a value was answered with", answer.status, body)


class Visitor:
    """Pages by what an address says."""

    def __init__(self, house, cookie):
        self.house, self.cookie = house, cookie

    def look(self, metric, **rest):
        """The page, its rows by SQL and its text."""
        query = "&".join(f"{name.replace('_', '.')}={value}" for name, value in rest.items())
        self.address = f"/explore?app=gallery&metric={metric}" + ("&" + query if query else "")
        page, rows = compare(self.house, self.cookie, self.address)
        self.text = html.unescape(self.house.ask("GET", self.address, self.cookie)[2].decode())
        return page, rows

    def says(self, *words):
        for word in words:
            check(word in self.text, self.address, "does not say", repr(word), "but", self.sentence())

    def sentence(self):
        return self.text.split('<p class="answer">')[1].split("</p>")[0]


def periods(visitor):
    _, days = visitor.look("entries", **{"from": DAYS[0], "to": DAYS[3]})
    check(len({row[0] for row in days}) == 8, "days are", {row[0] for row in days})
    _, rows = visitor.look("entries", kind="week", margin="(total)", **{"from": "2026-W09", "to": "2026-W10"})
    # Weeks begin on Monday, at midnight in Vienna.
    check([row[:2] for row in rows] == [["2026-02-22T23:00:00Z", "106"], ["2026-03-01T23:00:00Z", "106"]], rows)
    visitor.says("over 2 weeks, 2026-W09 to 2026-W10", "<a class=\"chosen\" aria-current=\"true\">Week</a>")
    visitor.look("entries", kind="week", margin="(total)", **{"from": "2026-W10", "to": "2026-W10"})
    visitor.says("in the week of 2 to 8 March 2026")
    _, rows = visitor.look("passes", margin="(total)", **{"from": "2026-02", "to": "2026-03"})
    check([row[1] for row in rows] == ["106", "106"] and rows[0][0] == "2026-01-31T23:00:00Z", rows)
    visitor.look("passes", **{"from": "2026-02", "to": "2026-02"})
    visitor.says("in February 2026", "“ios” is the largest published group, with about 42 of about 106 events (39.6%)")
    visitor.look("glances", kind="month", **{"from": "2026-03"})
    say("weeks and months begin where the app's do")


def layouts(visitor):
    """Each layout has its own buckets, dimensions and numbers."""
    found = {}
    for layout, day in ((1, 0), (2, 1), (3, 3)):
        span = {"from": DAYS[day], "to": DAYS[day]}
        page, rows = visitor.look("visits", layout=layout, margin="room", **span)
        found[layout] = [row[1] for row in rows]
        visitor.says("Former, no. 1" if layout > 1 else "<a class=\"chosen\" aria-current=\"true\">Former, no. 1</a>",
                     "Current" if layout < 3 else "<a class=\"chosen\" aria-current=\"true\">Current</a>")
        _, rows = visitor.look("visits", layout=layout, margin="room", measure="spent", **span)
        check(any(row[3].startswith("-") for row in rows), "no sum is below zero:", rows)
    check(found == {1: ["hall", "cellar", "attic", "other"], 2: ["hall", "cellar", "roof", "garden", "other"],
                    3: ["hall", "cellar", "roof", "garden", "other"]}, found)
    # Devices are in what was released by a plan with them, and not offered of a layout that the plan has without them.
    for layout, offered in ((1, True), (2, True), (3, False)):
        page, _ = visitor.look("visits", layout=layout, margin="room")
        check(any("measure=devices" in html.unescape(link) for link in page.links) == offered, "devices in layout", layout)
    _, rows = visitor.look("visits", layout=1, margin="room", measure="devices", **{"from": DAYS[0], "to": DAYS[0]})
    check(any(row[3] for row in rows), "no devices:", rows)
    for name in ("from", "to"):
        status = visitor.house.ask(
            "GET", f"/explore?app=gallery&metric=visits&layout=1&{name}={DAYS[3]}", visitor.cookie)[0]
        check(status == 400, "a former layout has a day of the current one:", status)
    say("three layouts of a metric, each with its own buckets and periods")


def derived(visitor):
    _, rows = visitor.look("passes", margin="platform", **{"from": "2026-02", "to": "2026-02"})
    check([row[1] for row in rows] == ["mobile", "desktop", "other"], rows)
    check(rows[0][2] == "70", "on phones there are", rows[0])
    visitor.says("Platform")
    _, rows = visitor.look("visits", margin="room,%20platform", at_platform="mobile",
                           **{"from": DAYS[3], "to": DAYS[3]})
    check(len(rows) == 5 and {row[2] for row in rows} == {"mobile"}, rows)
    say("coarser dimensions are asked for by their groups")


def sampled(visitor):
    page, [[_, events, _]] = visitor.look("glances", margin="(total)", **{"from": DAYS[0], "to": DAYS[0]})
    check(events == "106", "the sample has", events)
    check(page.heads[-2:] == ["Estimated", "95% interval"] and page.rows[0][-2] == "\u2248424", page.heads, page.rows)
    # |n - N/4| = 1.96 sqrt(3N/16) at both ends; at the lower one of all but k, which are there for certain.
    low, high = [int(end) for end in page.rows[0][-1].split(" to ")]
    for kept, end in ((106 - K, low - K), (106, high)):
        check(abs(abs(kept - end / 4) / (end * 3 / 16) ** 0.5 - 1.96) < 0.03, "the interval is", low, high)
    visitor.says("At a sampling rate of 0.25 that stands for about 424 events:",
                 "95% interval", "Sampling rate 0.25: numbers are those of the sample")
    say("a sample says what it stands for:", visitor.sentence().split(". ")[-1])


def identifiers(visitor):
    page, rows = visitor.look("way", margin="step", **{"from": DAYS[0], "to": DAYS[0]})
    check([row[1] for row in rows] == ["Tea", "Cart", "Paid"] and page.heads[-1] == "Identifiers", page.heads, rows)
    check(sum(int(row[2]) for row in rows) == 53, "identifiers are", rows)
    visitor.says("Identifiers by Furthest step", "of about 53 identifiers", "at the furthest step it came to")
    check("Events counted" not in visitor.text, "identifiers are called events")
    _, rows = visitor.look("often", margin="times", **{"from": DAYS[1], "to": DAYS[1]})
    check([row[1] for row in rows] == ["1", "2-3", ">=4"] and sum(int(row[2]) for row in rows) == 53, rows)
    visitor.says("by how many of the events it sent")
    _, [[_, number, _]] = visitor.look("often", margin="(total)", **{"from": DAYS[1], "to": DAYS[1]})
    visitor.says(f"{number} identifiers", "each once a window.")
    say("funnels and frequencies count identifiers, and say so")


def learned(visitor):
    """Labels by name, each from the release on that knew it."""
    known = {}
    for day in DAYS:
        _, rows = visitor.look("searches", margin="query", **{"from": day, "to": day})
        known[day] = [row[1] for row in rows]
    every = sorted(["apple pie", "tart", "a & b <i>", "other"])
    check([known[day] for day in DAYS] == [["apple pie", "other"]] * 2 + [["apple pie", "other", "tart"], every],
          "known labels are", known)
    _, rows = visitor.look("searches", margin="query", **{"from": DAYS[0], "to": DAYS[3]})
    counts = collections.Counter(row[0] for row in rows)
    check(len(counts) == 8 and set(counts.values()) == {2, 3, 4}, "labels by day are", counts)
    page, rows = visitor.look("searches", margin="query,%20os", at_query="tart", **{"from": DAYS[0], "to": DAYS[3]})
    check(rows and {row[1] for row in rows} == {"tart"}, "one label:", rows)
    listed = visitor.house.sql("select bucket, place from analyst.buckets where view_name = 'gallery_searches'"
                               " and dimension = 'query' order by bucket collate \"C\"")
    check(listed == [[name, None] for name in every], "analyst.buckets has", listed)
    check(all(f'<option value="{html.escape(name)}"' in visitor.house.ask("GET", visitor.address, visitor.cookie)[2].decode()
              for name in every), "a label can't be chosen")
    status, _, body = visitor.house.ask(
        "GET", "/explore?app=gallery&metric=searches&margin=query&at.query=(slot%201)", visitor.cookie)
    check(status == 400, "a slot without a label is", status)
    say("learned labels stand by name, each from where it was known:", json.dumps(known))


def parts(visitor):
    """More rows than a file has come in parts, which are the whole."""
    rows = 110 * 100
    base = "/explore.csv?app=gallery&metric=seats&margin=row,%20seat&from=2026-03&to=2026-03"
    whole, link = [], base
    while link:
        status, headers, body = visitor.house.ask("GET", link, visitor.cookie)
        check(status == 200, link, status)
        whole += [line[:-1] for line in csv.reader(io.StringIO(body.decode(), newline=""))][1:]
        check(f"-of-{rows}.csv" in headers["content-disposition"], headers)
        link = headers["link"].removeprefix("<").removesuffix('>; rel="next"') if "link" in headers else None
    _, wanted = visitor.house.paste(
        "select period_start, \"row\", seat, events, withheld from analyst.gallery_seats where period_kind = 'month'"
        " and margin = 'row, seat' and period_start = '2026-02-28T23:00:00Z'")
    check(len(whole) == rows and len({tuple(row) for row in whole}) == rows, "the parts have", len(whole), "rows")
    check(sorted(whole) == sorted(wanted), "the parts are not the whole")
    _, first = visitor.look("seats", margin="row,%20seat", **{"from": "2026-03"})
    visitor.says("There are 11,000 rows; SQL and CSV below have rows 1 to 10,000, this table has 1 to 1,000 of them.",
                 "These are 11,000 rows, too many to sum up.", ">Rows 10,001 to 11,000</a>")
    page, last = visitor.look("seats", margin="row,%20seat", part=2, **{"from": "2026-03"})
    check(len(first) == 10_000 and len(last) == 1000 and len(page.rows) == 1000, len(first), len(last), len(page.rows))
    visitor.says("SQL and CSV below have rows 10,001 to 11,000, this table has them all.")
    for part in ("3", "0", "x", "1.0", "99999999999999999999"):
        check(visitor.house.ask("GET", base.replace(".csv", "") + f"&part={part}", visitor.cookie)[0] == 400, "part", part)
    visitor.look("seats", margin="row,%20seat", at_row="r007", **{"from": "2026-03"})
    check("There are" not in visitor.text, "a whole answer talks of parts")
    say("11,000 rows come in two parts, which together are what the view has")


SCROLLING = """
    return [...document.querySelectorAll('*')].filter(each =>
        each.scrollWidth > each.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(each).overflowX))
        .map(each => [each.tagName, each.tabIndex, each.getAttribute('role'), each.ariaLabel, each.scrollWidth])"""


def narrow(house, token):
    """At 320 pixels nothing scrolls but named regions, which the keyboard reaches and moves."""
    seen = 0
    with Browser(language="en") as browser:
        enter(browser, house, token)
        for name, query in (
                ("gallery-heat", f"metric=searches&margin=query,%20os&from={DAYS[3]}&to={DAYS[3]}"),
                ("gallery-parts", "metric=seats&margin=row,%20seat&from=2026-03"),
                ("gallery-funnel", f"metric=way&margin=step&from={DAYS[0]}&to={DAYS[0]}"),
                ("gallery-margin", "metric=hum&margin=os&measure=loudness&from=2026-W09"),
                ("gallery-sums", f"metric=visits&margin=room,%20platform&measure=spent&from={DAYS[2]}")):
            browser.open(f"{house.address}/explore?app=gallery&{query}")
            # A thousand rows take axe longer than its script may run; these pages have the same parts.
            if name in ("gallery-heat", "gallery-funnel", "gallery-margin"):
                pictures(browser, name)
            browser.cdp("Emulation.setDeviceMetricsOverride", width=320, height=900, deviceScaleFactor=1, mobile=False)
            browser.run("document.querySelectorAll('details').forEach(each => { each.open = true })")
            check(browser.run("return document.documentElement.scrollWidth") <= 320, name, "is wider than 320 pixels")
            for tag, stop, role, label, width in browser.run(SCROLLING):
                check(stop == 0 and role == "region" and label, name, "has a", tag, "of", width, "px without a name or a stop")
            for place in range(browser.run("return document.querySelectorAll('.scroll').length")):
                moved = browser.run("""
                    const region = document.querySelectorAll('.scroll')[arguments[0]];
                    region.focus();
                    return [document.activeElement === region, region.scrollWidth - region.clientWidth]""", place)
                check(moved[0], name, "has a region that can't be reached")
                if moved[1] > 1:
                    browser.cdp("Input.dispatchKeyEvent", type="rawKeyDown", key="ArrowRight", code="ArrowRight",
                                windowsVirtualKeyCode=39)
                    browser.until(f"return document.querySelectorAll('.scroll')[{place}].scrollLeft > 0")
                    outline = browser.run(
                        f"return getComputedStyle(document.querySelectorAll('.scroll')[{place}]).outlineStyle")
                    check(outline != "none", name, "has a region whose focus is not seen")
                    seen += 1
            browser.cdp("Emulation.clearDeviceMetricsOverride")
    check(seen > 1, "nothing scrolled")
    say(f"at 320 px {seen} wide tables scroll by the keyboard, in named regions")


def test():
    house = Gallery()
    house.fill()
    say("days are released:", house.sql("select count(*) from throng.release")[0][0], "releases")
    token = house.token("--analyst")
    cookie = house.cookie(token)
    visitor = Visitor(house, cookie)
    for part in (periods, layouts, derived, sampled, identifiers, learned, parts):
        part(visitor)
    crawl(house, cookie, least=60)
    # Where numbers are identifiers, dashboards ask for another column.
    dashboards.analyst(
        lambda query: house.paste(query)[1], views=".*(often|way).*", since=f"'{DAYS[0]}'::timestamptz - interval '1 day'",
        until=f"'{DAYS[3]}'::timestamptz + interval '2 days'")
    narrow(house, token)
    check(house.stop() == 0, "SIGTERM ended with", house.process.returncode)


if __name__ == "__main__":
    daemon.main(test)
