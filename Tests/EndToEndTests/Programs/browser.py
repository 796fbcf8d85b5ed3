"""Chromium walks through the sample shop, whose page is on another origin than the daemon, under a strict policy; what
PostgreSQL has in the end is exactly what was done. Then axe reads the transparency page.

Names under .example lead to this machine. THRONG_TEST_SCREENSHOTS names a folder that keeps pictures of the page.
"""

import base64
import collections
import contextlib
import gzip
import http.client
import http.server
import json
import os
import re
import sys
import threading
import time
import urllib.parse

import daemon
from daemon import ROOT, SAMPLE, Failure, check, say

sys.path.insert(0, os.path.join(ROOT, ".build", "browser"))
from selenium import webdriver  # noqa: E402
from selenium.webdriver.chrome.service import Service  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from axe_selenium_python import Axe  # noqa: E402

SITE = os.path.join(SAMPLE, "web")
ROTATION = daemon.rotation_with_time_left([86400, 23 * 3600], needed=600)
DESKTOP = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.8078.79 Safari/537.36"
PHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5"
    " Mobile/15E148 Safari/604.1")


# Values for rules: what the page makes of each has to be what the daemon makes of it.
PROBES = {
    "p_list": ("list: {Desk: [desk, clamp], Seven: ['7'], 'Yes': ['true']}",
               ["desk", "clamp", "Desk", "Clamp", "lamp", "", "7", 7, 7.5, True, "true", False, "other"]),
    "p_region": ("region: {Nordic: [NO, SE], Alps: [AT, CH]}", ["NO", "no", "Se", "AT", "DE", "Nordic", "nordic", "", 1]),
    "p_band": ("bands: [10, 20.5, 1000]",
               [0, -5, 10, 9.99, 20.5, 1000, 1e9, "15", "15.5", "-1", "x", "", "<10", ">=1000", True, "other"]),
    "p_screen": ("screen: standard",
                 ["390x844", "844x390", "600x900", "599.5x10000", "1024x1024", "1023x9999", "x", "0x0", "", "small", "big", 700]),
    "p_language": ("language: [de, en, nds]",
                   ["de", "DE", "de-AT", "de_AT.UTF-8", "de,en;q=0.5", "nds-DE", "fr", "", "d", "en", "other"]),
    "p_route": ("route: [/, /a/:id, /docs/*, '/x.y', /a/:id/edit]",
                ["/", "", "/a/1", "/a/", "/a", "/a/1/", "/a/1/edit", "/a/1/2", "/docs", "/docs/", "/docs/1/2", "/docsx", "/x.y",
                 "/xzy", "/a/:id", "other", "/A/1", "//", "/a//edit", "cart", "a/1",
                 "https://shop.example", "https://shop.example/a/1?x=/docs#/docs", "//shop.example/docs/x", "/a/1?x=/docs"]),
    "p_host": ("host: [search.example, www.search.example]",
               ["https://search.example/x?y", "http://www.search.example:8080/", "https://SEARCH.example/", "search.example",
                "https://evil.example/search.example", "https://search.example.evil.example/", "", "mailto:a@b", "about:blank",
                "//search.example", "https://me:x@search.example/", "SEARCH.example:80/x", "/search.example"]),
    "p_offset": ("utc_offset: {band_hours: 3}", [0, 60, -60, 330, -210, 840, -720, "60", "UTC+0..UTC+2", "x"]),
    "p_major": ("version: {level: major, known: ['9', '17', '18']}",
                ["17", "17.4.1", "17-beta", "v17", "018", "9", 9, 17, 9e15, -17, "", ".9", "17,4", "other", True]),
    "p_minor": ("version: {level: minor, known: ['17.0', '17.4', '9.10']}",
                ["17.4.1", "17", "17.", "17.40", "9.10-rc1", "9.1", 17, 17.4, 9.1, "17.4", "", "x17.4", False]),
    "p_powers": ("powers: {base: 10, from: -2, to: 6}",
                 [0, -1, 0.009, 0.01, 0.0999, 1, 9.999, 10, 999999, 1e6, 1e12, "1e3", "+5", ".5", "5.", " 5", "0x10", "",
                  "1-10", "<0.01", ">=1000000", "nan", "Infinity", True]),
    "p_file": ("file_type: standard",
               ["holiday.JPG", "a.tar.gz", "/home/me/.profile", ".zip", "x/.zip", "a.zip/b", "C:\\notes\\plan.PDF", "mail.image",
                "image", "zip", "*.zip", "main.swift", "..zip", "x.", "", 7.5, "x.unknown", True]),
}
# Rules that the script has nothing for: the field is left out.
LEFT_OUT = {
    "p_figures": ("significant_figures: {digits: 2, from: 1, to: 1000000}", [12345, "12345", 0.5, "12346-SECRET"]),
}


# Servers


class Site(http.server.ThreadingHTTPServer):
    """The shop's files for any path, a page of another site that links to it, and a way to the daemon that loses answers."""

    daemon_threads = True

    def __init__(self, house):
        super().__init__(("127.0.0.1", 0), Page)
        self.house = house
        self.port = self.server_address[1]
        self.lost = collections.deque()
        self.carried = []
        self.referrers = []
        self.ahead = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def url(self, path="/", host="shop.example"):
        return f"http://{host}:{self.port}{path}"


class Page(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        host, path = self.headers["host"].split(":")[0], urllib.parse.urlsplit(self.path).path
        if path.startswith("/v1/") or path == "/throng.js":
            if path != "/throng.js":
                self.server.referrers.append(self.headers.get("referer"))
            return self.carry("GET", None)
        if host in ("search.example", "other.example"):
            links = "".join(
                f'<a id="{place}" href="{self.server.url(to)}">{to}</a> ' for place, to in enumerate(["/", "/lamp/arc"]))
            return self.answer(200, links.encode(), content_type="text/html")
        if "prerender" in self.headers.get("sec-purpose", ""):
            self.server.ahead.append(path)
        files = {"/shop.css": "text/css", "/shop.js": "text/javascript"}
        name = path[1:] if path in files else "index.html"
        if path == "/favicon.ico":
            return self.answer(404)
        if path == "/ahead":
            page = '<!DOCTYPE html><title>Ahead</title><script type="speculationrules">' + json.dumps(
                {"prerender": [{"source": "list", "urls": ["/lamp/desk"], "eagerness": "immediate"}]}) + (
                '</script><a id="0" href="/lamp/desk">Desk</a>')
            return self.answer(200, page.encode(), content_type="text/html")
        with open(os.path.join(SITE, name)) as file:
            text = file.read()
        # A page on flaky.example sends through this server, another one straight to the daemon.
        counter = f"http://flaky.example:{self.server.port}" if host == "flaky.example" else self.server.house.address
        text = text.replace("http://127.0.0.1:8080", counter)
        if host == "memory.example":
            text = text.replace("data-app=", 'data-storage="memory" data-app=')
        if host == "debug.example":
            text = text.replace("data-app=", "data-debug data-app=")
        if path == "/unplanned":
            text = text.replace('data-app="webshop"', 'data-app="unplanned"')
        policy = (
            f"default-src 'none'; script-src 'self' {counter}; connect-src {counter}; style-src 'self'; base-uri 'none';"
            " form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'")
        self.answer(200, text.encode(), content_type=files.get(path, "text/html"), content_security_policy=policy)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.carried.append((time.monotonic(), body))
        self.server.referrers.append(self.headers.get("referer"))
        if self.server.lost:
            fate = self.server.lost.popleft()
            if fate == "busy":
                return self.answer(503, b"{}", retry_after="3", access_control_allow_origin="*",
                                   access_control_expose_headers="retry-after")
            # The daemon counts it, and nobody hears of it.
            self.server.house.post(body, {"origin": self.server.url()[:-1]})
            self.close_connection = True
            return None
        return self.carry("POST", body)

    def carry(self, method, body):
        line = http.client.HTTPConnection("127.0.0.1", self.server.house.port, timeout=10)
        line.request(method, self.path, body or b"", {"origin": self.server.url()[:-1]})
        response = line.getresponse()
        text = response.read()
        self.answer(response.status, text, content_type=response.getheader("content-type"),
                    access_control_allow_origin="*")
        line.close()


# The browser


class Browser:
    def __init__(self, agent=DESKTOP, controlled=False, language="de-AT"):
        options = webdriver.ChromeOptions()
        for argument in (
                "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--no-first-run",
                "--disable-background-networking", "--disable-component-update", "--window-size=1280,900",
                "--host-resolver-rules=MAP *.example 127.0.0.1", f"--user-agent={agent}", f"--accept-lang={language}",
                "--disable-field-trial-config", "--enable-features=BackForwardCache"):
            options.add_argument(argument)
        if not controlled:
            options.add_argument("--disable-blink-features=AutomationControlled")
        options.add_experimental_option("excludeSwitches", ["disable-back-forward-cache"])
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        options.binary_location = "/usr/bin/chromium"
        self.driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        self.driver.set_script_timeout(30)
        self.driver.get("about:blank")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()

    def tab(self):
        """A fresh tab: another device, as far as anybody can tell."""
        self.driver.switch_to.new_window("tab")
        return self

    def open(self, url):
        self.driver.get(url)
        return self

    def click(self, selector):
        self.driver.find_element(By.CSS_SELECTOR, selector).click()
        return self

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def cdp(self, command, **parameters):
        return self.driver.execute_cdp_cmd(command, parameters)

    def ready(self):
        """Returns once the plan has come and what was done so far is sent and answered."""
        self.until("return throng.sent.length > 0", poke="throng.flush()")
        return self.settled()

    def settled(self):
        self.until("return throng.sent.every(batch => batch.answer)", poke="throng.flush()")
        return self

    def until(self, condition, poke=""):
        deadline = time.monotonic() + 20
        while not self.run(condition):
            check(time.monotonic() < deadline, "never true:", condition, self.driver.get_log("browser"))
            if poke:
                self.run(poke)
            time.sleep(0.1)

    def sent(self):
        return [json.loads(each["body"]) for each in self.run("return throng.sent")]

    def quiet(self):
        """Nothing that the page's policy forbids was tried."""
        errors = [
            entry["message"] for entry in self.driver.get_log("browser")
            if entry["level"] == "SEVERE" and "favicon" not in entry["message"]]
        check(not errors, "the browser complains:", "\n".join(errors))


# What was counted


class Ledger:
    """What was done, as cells; compared with what PostgreSQL has."""

    def __init__(self, house):
        self.house = house
        self.expected = collections.Counter()

    def view(self, page, screen, device="desktop", visit=None, times=1):
        self.expected["views", page, screen] += times
        self.expected["devices", device] += times
        if visit:
            self.expected[("visits", *visit)] += times

    def add(self, *cell, times=1):
        self.expected[cell] += times

    def found(self):
        layouts = {}
        for metric_id, text in self.house.sql("select metric_id, layout from throng.metric_layout"):
            layout = json.loads(text)
            layouts[metric_id] = (layout["metric"], [each["labels"] for each in layout["dimensions"]])
        found = collections.Counter()
        for metric_id, measure, cell, value in self.house.sql(
                "select metric_id, measure, cell, value from throng.counter where value <> 0"):
            metric, dimensions = layouts[metric_id]
            labels, rest = [], int(cell)
            for names in reversed(dimensions):
                rest, place = divmod(rest, len(names))
                labels.insert(0, names[place])
            found[(metric + ("" if measure == "0" else "." + measure), *labels)] += int(value)
        return found

    def holds(self, what):
        deadline = time.monotonic() + 15
        while True:
            self.house.drain()
            found = self.found()
            if found == self.expected:
                return say(what)
            if time.monotonic() > deadline:
                wrong = {
                    cell: (self.expected[cell], found[cell]) for cell in {**self.expected, **found}
                    if self.expected[cell] != found[cell]}
                raise Failure(what, "- expected and found differ:", wrong)
            time.sleep(0.2)

    def devices(self, metric):
        """Distinct identifiers of a metric's leaf cells, added up."""
        return int(self.house.sql(
            "select coalesce(sum(devices), 0) from throng.distinct_count join throng.metric_layout using (metric_id)"
            f" where metric = '{metric}' and margin = (select max(margin) from throng.distinct_count)")[0][0])


def screen_of(browser):
    side = browser.run("return Math.min(screen.width, screen.height)")
    return "small" if side < 600 else "medium" if side < 1024 else "large"


# The claims


def walk(browser, site, ledger):
    """A visit that came from a listed site: pages, clicks, a search, an order."""
    browser.tab().open(site.url("/", "search.example")).click("[id='0']").ready()
    screen = screen_of(browser)
    ledger.view("/", screen)
    ledger.holds("a page view is counted, and nothing of the purpose that asks first")
    browser.click("[href='/lamp/arc']").click("[data-page='/lamp/arc'] button").click("[data-page='/lamp/arc'] button")
    ledger.view("/lamp/:name", screen)
    ledger.add("baskets", "Floor", times=2)
    browser.run("history.back()")
    browser.until("return location.pathname == '/'")
    ledger.view("/", screen)
    browser.click("[href='/lamp/desk']").click("[data-page='/lamp/desk'] button")
    ledger.view("/lamp/:name", screen)
    ledger.add("baskets", "Desk")
    browser.driver.find_element(By.ID, "words").send_keys("SECRET")
    browser.click("#search button")
    ledger.add("searches", "/lamp/:name")
    ledger.view("/", screen)
    browser.run("history.replaceState(null, '', '/?tag=SECRET#SECRET')")
    browser.click("header [href='/cart']").click("#order")
    ledger.view("/cart", screen)
    ledger.view("/thanks", screen)
    ledger.add("orders", screen)
    ledger.add("orders.1", screen, times=30850)
    # What is not declared, or has no bucket, or is no value at all.
    browser.run("throng.record('teleport'); throng.record('add_to_cart', {kind: 'SECRET', user: 'SECRET'});"
                "throng.record('add_to_cart', {kind: () => 0}); throng.record('constructor');"
                "throng.record('add_to_cart', {kind: 'x\\ud800\\0'.repeat(5000)})")
    ledger.add("baskets", "other", times=3)
    browser.run("history.pushState(null, '', '/nowhere/SECRET')")
    ledger.view("other", screen)
    browser.run("history.replaceState(null, '', '/lamp/SECRET')")
    ledger.view("/lamp/:name", screen)
    # What would have the whole batch refused is cut out of a text that only the daemon can bucket.
    browser.run("throng.record('view', {user_agent: 'x\\ud800\\0'.repeat(5000)})")
    # Of the device it is a second kind, which one device can't be.
    ledger.add("views", "/lamp/:name", screen)
    browser.settled()
    browser.until("return throng.sent.map(batch => batch.body).join().includes('order')", poke="throng.flush()")
    browser.settled()
    ledger.holds("a walk through the shop is counted exactly")

    batches = browser.sent()
    text = json.dumps(batches)
    check(all(batch["purpose"] == "product" for batch in batches), "only what needs no consent was sent")
    for word in ("SECRET", "/lamp/arc", "http", "8078", "?", "teleport", str(site.port)):
        check(word not in text, "a batch holds", word, text)
    check(all(event["at"][14:] in ("00:00Z", "15:00Z", "30:00Z", "45:00Z") for batch in batches
              for event in batch["events"]), "times are quarters of an hour:", text)
    check(any(event["event"] == "add_to_cart" and event["count"] == 2 for batch in batches for event in batch["events"]),
          "what happens twice is a number, not two events:", text)
    check(len({batch["id"] for batch in batches}) == 1, "one identifier a window")
    check(len({batch["batch"] for batch in batches}) == len(batches), "every batch has a name of its own")
    kept = browser.run("return [document.cookie, localStorage.length, Object.keys(sessionStorage)]")
    check(kept == ["", 0, ["throng webshop product"]], "kept in the browser:", kept)
    answers = browser.run(
        "const done = arguments[0]; return throng.preview('order', {amount: 5000, kind: 'x'})")
    check(answers["product"]["events"][0]["counted"][0]["sums"] == {"revenue": 2000}, "the preview is clipped:", answers)
    ledger.holds("a preview counts nothing")
    browser.quiet()


def consent(browser, site, ledger):
    browser.tab().open(site.url("/", "search.example")).click("[id='1']").ready()
    screen, visit = screen_of(browser), ("search.example", "de")
    ledger.view("/lamp/:name", screen)
    ledger.holds("nothing is sent before consent")
    browser.click("#agree")
    browser.until("return throng.sent.length > 1", poke="throng.flush()")
    ledger.add("visits", *visit)
    browser.settled()
    ledger.holds("the page that is open when somebody agrees is seen")
    first = browser.sent()
    check(first[0]["id"] != first[1]["id"], "purposes have identifiers of their own")

    browser.driver.refresh()
    browser.ready()
    # A reloaded page keeps its referrer.
    ledger.view("/lamp/:name", screen, visit=visit)
    browser.until("return throng.sent.length > 1", poke="throng.flush()")
    browser.settled()
    ledger.holds("a reload is another view")
    again = browser.sent()
    check({batch["id"] for batch in first} == {batch["id"] for batch in again}, "of the same device")

    browser.run("document.querySelector('#question').hidden = false")
    browser.click("[href='/cart']")
    browser.click("#decline")
    browser.ready()
    ledger.view("/cart", screen)
    ledger.holds("what waits is dropped when consent is withdrawn")
    browser.until("return throng.sent.length == 3", poke="throng.flush()")
    check(browser.run("return Object.keys(sessionStorage).sort()") == ["marketing", "throng webshop product"],
          "and so is the identifier")
    browser.run("document.querySelector('#question').hidden = false")
    browser.click("#agree")
    browser.until("return throng.sent.length == 4", poke="throng.flush()")
    ledger.add("visits", *visit)
    browser.settled()
    ledger.holds("whoever agrees again is seen from then on, without what waited before")
    check(browser.sent()[3]["id"] != first[1]["id"], "as somebody else")
    browser.run("sessionStorage['throng webshop product'] = '1 " + "0" * 32 + "'")
    browser.driver.refresh()
    browser.ready()
    ledger.view("/cart", screen, visit=visit)
    browser.until("return throng.sent.length > 1", poke="throng.flush()")
    browser.settled()
    check("0" * 32 not in json.dumps(browser.sent()), "an identifier outlives its window")
    ledger.holds("a window that is over leaves nothing to the next")
    last = {batch["id"] for batch in browser.sent()}
    browser.run("throng.reset()")
    check(browser.run("return [throng.sent.length, Object.keys(sessionStorage)]") == [0, ["marketing"]], "a reset forgets")
    browser.driver.refresh()
    browser.ready()
    ledger.view("/cart", screen, visit=visit)
    browser.until("return throng.sent.length > 1", poke="throng.flush()")
    browser.settled()
    check(not last & {batch["id"] for batch in browser.sent()}, "after a reset it is another device")
    ledger.holds("a reset forgets identifiers")
    browser.quiet()


def offline(browser, site, ledger):
    browser.tab().open(site.url("/")).ready()
    screen = screen_of(browser)
    ledger.view("/", screen)
    network = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    browser.cdp("Network.enable")
    browser.cdp("Network.emulateNetworkConditions", offline=True, **network)
    browser.until("return !navigator.onLine")
    for _ in range(3):
        browser.click("[href='/lamp/arc']").click("[data-page='/lamp/arc'] button").click(".brand")
    sent = len(browser.sent())
    browser.run("throng.flush()")
    time.sleep(1)
    check(len(browser.sent()) == sent, "a batch is packed that can't travel in its window:", browser.sent())
    ledger.holds("nothing is sent while offline")
    browser.cdp("Network.emulateNetworkConditions", offline=False, **network)
    ledger.view("/lamp/:name", screen, times=3)
    ledger.view("/", screen, times=3)
    ledger.add("baskets", "Floor", times=3)
    browser.until("return navigator.onLine")
    ledger.holds("and all of it once the browser is online again")
    browser.settled()


def lost_answers(browser, site, ledger):
    site.lost.extend(["lost", "busy", "lost"])
    site.carried.clear()
    browser.tab().open(site.url("/", "flaky.example"))
    browser.until("return throng.sent.length > 0", poke="throng.flush()")
    ledger.view("/", screen_of(browser))
    browser.until("return throng.sent[0].answer")
    check(len(site.carried) == 4 and len({body for _, body in site.carried}) == 1, "the same bytes until there is an answer:",
          site.carried)
    check(site.carried[2][0] - site.carried[1][0] >= 3, "who is asked to wait waits:", site.carried)
    check(browser.run("return throng.sent[0].answer") == {"accepted": 1, "refused": []}, "and the answer is the first one's:",
          browser.run("return throng.sent"))
    check(set(site.referrers) == {None}, "a request says from which page it comes:", site.referrers)
    ledger.holds("answers that are lost count once, and the script works from another place")
    site.carried.clear()
    site.lost.append("busy")
    browser.run("throng.record('open', {p_open: 'SECRET'}); throng.flush()")
    browser.until("return throng.sent.length == 2")
    deadline = time.monotonic() + 10
    while not site.carried:
        check(time.monotonic() < deadline, "the batch was sent")
        time.sleep(0.05)
    time.sleep(0.5)
    browser.run("const now = Date.now; Date.now = () => now() + 3 * 86400e3; throng.flush()")
    time.sleep(6)
    check(len(site.carried) == 1, "a batch travels after its window is over:", site.carried)
    check(b"SECRET" not in site.carried[0][1], "a value that nobody lists leaves the page:", site.carried)
    ledger.holds("what could be counted in no window is given up")


def signals(browser, site, ledger):
    for what, property in (
            ("Global Privacy Control", "Object.defineProperty(Navigator.prototype, 'globalPrivacyControl', {get: () => true})"),
            ("Do Not Track", "Object.defineProperty(Navigator.prototype, 'doNotTrack', {get: () => '1'})")):
        browser.tab()
        browser.cdp("Page.addScriptToEvaluateOnNewDocument", source=property)
        browser.open(site.url("/")).click("#agree").ready()
        browser.click("header [href='/cart']")
        ledger.view("/", screen_of(browser))
        ledger.view("/cart", screen_of(browser))
        browser.until("return throng.sent.length > 1", poke="throng.flush()")
        browser.settled()
        check(all(batch["purpose"] == "product" for batch in browser.sent()), "nothing else is sent")
        ledger.holds(f"with {what} on, only the purpose that does not go by it counts")


def close(browser, site, ledger):
    screen = screen_of(browser)
    first = browser.driver.window_handles[0]
    for way in ("closed", "left"):
        browser.tab().open(site.url("/"))
        browser.until("return performance.getEntriesByType('resource').some(each => each.name.includes('/v1/plan/')"
                      " && each.responseEnd)")
        time.sleep(0.3)
        check(browser.run("return throng.sent") == [], "nothing is sent yet")
        browser.click("[href='/lamp/arc']").click("[data-page='/lamp/arc'] button")
        if way == "closed":
            browser.driver.close()
        else:
            browser.open(site.url("/", "other.example"))
        browser.driver.switch_to.window(first)
        ledger.view("/", screen)
        ledger.view("/lamp/:name", screen)
        ledger.add("baskets", "Floor")
        ledger.holds(f"what waits is sent when the tab is {way}")


def back_and_forward(browser, site, ledger):
    browser.tab().open(site.url("/")).ready()
    screen = screen_of(browser)
    ledger.view("/", screen)
    browser.run("window.isOld = true")
    browser.open(site.url("/", "other.example"))
    browser.until("return location.hostname == 'other.example'")
    browser.driver.back()
    browser.until("return location.hostname == 'shop.example' && !!window.throng")
    check(browser.run("return window.isOld"), "the page comes from the back/forward cache")
    browser.until("return throng.sent.length > 1", poke="throng.flush()")
    ledger.view("/", screen)
    browser.settled()
    ledger.holds("a page that comes back from the cache is seen again")


def prerendered(browser, site, ledger):
    browser.tab().open(site.url("/ahead"))
    deadline = time.monotonic() + 10
    while "/shop.js" not in site.ahead:
        check(time.monotonic() < deadline, "the page was rendered ahead")
        time.sleep(0.1)
    # Longer than any event waits.
    time.sleep(6)
    ledger.holds("a page that is rendered ahead is not seen")
    browser.click("[id='0']")
    browser.until("return !!window.throng")
    check(browser.run("return performance.getEntriesByType('navigation')[0].activationStart") > 0, "it was rendered ahead")
    browser.ready()
    ledger.view("/lamp/:name", screen_of(browser))
    ledger.holds("until it is shown")


def same_buckets(browser, site, ledger):
    """What leaves the page is a bucket, and the one that the daemon puts the raw value into."""
    browser.tab().open(site.url("/")).ready()
    ledger.view("/", screen_of(browser))
    found = browser.run("""
        const [server, probes, at] = arguments;
        return (async () => {
            const found = [];
            for (const [field, values] of probes) for (const value of values) {
                const bucket = (answer) => answer.events[0].counted.find(each => each.metric == field + "s").buckets[field];
                const events = [{event: "probe", at, fields: {[field]: value}}];
                const body = JSON.stringify({app: "webshop", purpose: "product", events});
                const raw = await (await fetch(server + "/v1/preview", {method: "POST", body})).json();
                const coarse = await throng.preview("probe", {[field]: value});
                found.push([field, value, bucket(raw), bucket(coarse.product)]);
            }
            return found;
        })()""", ledger.house.address, [(name, values) for name, (_, values) in PROBES.items()],
        time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()))
    wrong = [each for each in found if each[2] != each[3]]
    check(len(found) > 160 and not wrong, "daemon and page differ:", wrong)
    left = browser.run("""
        return (async () => {
            const left = [];
            for (const [field, values] of arguments[0]) for (const value of values)
                left.push((await throng.preview("probe", {[field]: value})).product.events[0].counted
                    .find(each => each.metric == field + "s").buckets[field]);
            return left;
        })()""", [(name, values) for name, (_, values) in LEFT_OUT.items()])
    check(set(left) == {"other"}, "a value without a rule leaves the page:", left)
    # All at once, and nothing of it but buckets leaves.
    browser.run("for (const [field, value] of arguments[0]) throng.record('probe', {[field]: value})",
                [(name, "SECRET") for name in PROBES if name != "p_offset"])
    browser.run("for (const [field, value] of arguments[0]) throng.record('probe', {[field]: value})",
                [(name, value) for name in LEFT_OUT for value in (12347, "12347-SECRET")])
    browser.run("throng.record('order', {amount: 'SECRET'})")
    # What an event does not say, the browser says of itself, as far as it can.
    itself = browser.run("return throng.preview('probe')")["product"]["events"][0]["counted"]
    probed = len(PROBES) - 1 + 2 * len(LEFT_OUT)
    for name in [*PROBES, *LEFT_OUT, "p_again"]:
        own = next(each["buckets"][name] for each in itself if each["metric"] == name + "s")
        others = 0 if name == "p_offset" else 2 if name in LEFT_OUT else 1
        ledger.add(name + "s", own, times=probed - others)
        if others:
            ledger.add(name + "s", "other", times=others)
    browser.until("return throng.sent.length > 1", poke="throng.flush()")
    browser.settled()
    text = json.dumps(browser.sent())
    check("SECRET" not in text and "12347" not in text, "a raw value left the page:", text)
    ledger.holds(f"{len(found)} values are in the same buckets in the page and in the daemon")
    # Of a place with summer time it says its standard time, all year.
    browser.cdp("Emulation.setTimezoneOverride", timezoneId="America/Santiago")
    offset = browser.run("return throng.preview('probe')")["product"]["events"][0]["counted"]
    offset = next(each["buckets"]["p_offset"] for each in offset if each["metric"] == "p_offsets")
    check(offset == "UTC-6..UTC-4", "Chile's standard time is four hours behind:", offset)
    browser.cdp("Emulation.setTimezoneOverride", timezoneId="")
    browser.quiet()


def limits(browser, site, ledger):
    """What a page may hold and send at most, and how often."""
    browser.tab().open(site.url("/")).ready()
    screen = screen_of(browser)
    # Many views that differ, in batches that a beacon can carry, of each of which the daemon reads four user agents.
    browser.run("for (let n = 0; n < 600; n++) throng.record('view', {user_agent: (n + ' ').padEnd(250, 'x')})")
    browser.until("return throng.sent.length > 1", poke="throng.flush()")
    browser.settled()
    bodies = browser.run("return throng.sent.map(batch => batch.body)")[1:]
    check(len(bodies) > 1 and all(len(body) <= 60000 for body in bodies), "batches are split:", [len(body) for body in bodies])
    held = sum(len(json.loads(body)["events"]) for body in bodies)
    check(held == 500, "a queue holds 500 events:", held)
    read = 0
    for batch in map(json.loads, bodies):
        agents = {batch["context"]["user_agent"]} if "user_agent" in batch.get("context", {}) else set()
        for event in batch["events"]:
            agent = event.get("fields", {}).get("user_agent")
            if len(agents) < 4 or agent in agents:
                agents.add(agent)
                read += 1
    ledger.view("/", screen)
    ledger.add("views", "/", screen, times=read)
    ledger.holds("a full queue and split batches")
    browser.run("""
        return (async () => {
            for (let n = 0; n < 100; n++) {
                throng.record('view');
                throng.flush();
                while (!throng.sent.at(-1).answer) await new Promise(resolve => setTimeout(resolve, 5));
            }
        })()""")
    check(browser.run("return throng.sent.length") == 100, "the log keeps a hundred batches")
    # The plan takes a hundred from one device.
    ledger.add("views", "/", screen, times=99 - read)
    # A hundred views of its own device, too; of all others it is none.
    ledger.add("devices", "desktop", times=99)

    # A page that wants it keeps nothing at all, and whatever it gives, it gets no error.
    browser.tab().open(site.url("/", "memory.example")).ready()
    ledger.view("/", screen)
    check(browser.run("return Object.keys(sessionStorage)") == [], "nothing is stored")
    browser.run("throng.record('view', {get kind() { throw new Error(); }}); throng.consent(); throng.record()")
    ledger.holds("identifiers can stay in memory")

    # An event that is sampled is left out on the page, by its own chance.
    browser.tab().open(site.url("/")).ready()
    ledger.view("/", screen)
    browser.run("""
        const chance = Math.random;
        Math.random = () => 0.6;
        throng.record('rare');
        Math.random = () => 0.4;
        throng.record('rare', {kind: 'arc'});
        Math.random = chance""")
    browser.until("return throng.sent.length > 1", poke="throng.flush()")
    ledger.add("rarely", "Floor")
    browser.settled()
    ledger.holds("a sampled event is left out on the page")
    browser.quiet()


def said(browser):
    return [entry["message"] for entry in browser.driver.get_log("browser") if "throng knows" in entry["message"]]


def debugging(browser, site, ledger):
    """A developer who asks for it is told what the plan does not have, and nobody else is."""
    calls = "throng.record('teleport'); throng.record('add_to_cart', {kind: 'arc', color: 'red'}); throng.flush()"
    for host in ("shop.example", "debug.example"):
        browser.tab().open(site.url("/", host)).ready()
        said(browser)
        browser.run(calls)
        browser.until("return throng.sent.length > 1", poke="throng.flush()")
        browser.settled()
        ledger.view("/", screen_of(browser))
        ledger.add("baskets", "Floor")
        words = [each.split(" ", 2)[2].replace('"', "") for each in said(browser)]
        expected = ["throng knows no event teleport", "throng knows no field color"] if host == "debug.example" else []
        check(words == expected, host, "says", words)
    browser.tab().open(site.url("/unplanned", "debug.example"))
    deadline, words = time.monotonic() + 10, []
    while not words:
        check(time.monotonic() < deadline, "an unknown app is not named")
        time.sleep(0.1)
        words = said(browser)
    check("app" in words[0] and "unplanned" in words[0], "about an unknown app it says", words)
    ledger.holds("with data-debug the console says what the plan does not have")


def strangers(browser, site, ledger):
    """Other people's pages, and what a page may send besides what browsers take for simple."""
    house = ledger.house
    browser.tab().open(site.url("/")).ready()
    ledger.view("/", screen_of(browser))
    body = {
        "app": "webshop", "purpose": "product", "window": int(time.time()) // ROTATION, "id": "stranger",
        "batch": os.urandom(16).hex(), "events": [
            {"event": "order", "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "fields": {"amount": 1}}]}
    send = """
        return fetch(arguments[0] + "/v1/batches", {method: "POST", body: arguments[1], headers: arguments[2]})
            .then(answer => answer.status, () => "blocked")"""
    status = browser.run(send, house.address, json.dumps(body), {"content-type": "application/json"})
    check(status == 202, "a listed page may send JSON as JSON:", status)
    ledger.add("orders", "other")
    ledger.add("orders.1", "other", times=100)
    body["batch"] = os.urandom(16).hex()
    browser.tab().open(site.url("/", "other.example"))
    status = browser.run(send, house.address, json.dumps(body), {})
    check(status == "blocked", "another page may not read an answer:", status)
    said = " ".join(entry["message"] for entry in browser.driver.get_log("browser"))
    check("blocked by CORS policy" in said, "and the browser says why:", said)
    status, headers, answer = house.post(json.dumps(body), {"origin": "http://other.example"})
    check((status, json.loads(answer)["error"]) == (403, "origin_not_allowed"), "nor send:", status, answer)
    check("access-control-allow-origin" not in headers, headers)
    for path in ("/v1/plan/webshop", "/throng.js"):
        headers = {key.lower(): value for key, value in house.get(path)[1].items()}
        check("origin" in headers["vary"] and "access-control-allow-origin" not in headers, path, headers)
    ledger.holds("pages of origins that are not listed count nothing")


def phone(site, ledger):
    with Browser(agent=PHONE, language="fr") as browser:
        browser.open(site.url("/")).click("#agree").ready()
        browser.until("return throng.sent.length > 1", poke="throng.flush()")
        ledger.view("/", screen_of(browser), device="phone", visit=("other", "fr"))
        browser.settled()
        ledger.holds("a phone is a phone by a user agent without its versions")
    with Browser(controlled=True) as browser:
        browser.open(site.url("/")).click("[href='/lamp/arc']").click("[data-page='/lamp/arc'] button")
        browser.run("throng.record('order', {amount: 1}); throng.flush()")
        time.sleep(1)
        check(browser.run("return [throng.sent.length, performance.getEntriesByType('resource')"
                          ".filter(each => each.name.includes('/v1/')).length]") == [0, 0], "a robot asks for nothing")
        browser.open("about:blank")
        ledger.holds("a browser under remote control counts nothing")


def transparency(browser, site, ledger):
    """The page that says what is counted: axe finds nothing on it, light, dark, narrow, on paper, and after a trial."""
    house = ledger.house
    status, headers, body = house.get("/")
    headers = {key.lower(): value for key, value in headers.items()}
    check(status == 200 and headers["content-type"] == "text/html; charset=utf-8", status, headers)
    for part in ("default-src 'none'", "style-src 'sha256-", "frame-ancestors 'none'", "form-action 'self'"):
        check(part in headers["content-security-policy"], "the policy lacks", part)
    check("unsafe" not in headers["content-security-policy"] and headers["x-content-type-options"] == "nosniff", headers)
    check(house.get("/apps/webshop")[0] == 200 and house.get("/apps/nowhere")[0] == 404, "an app's own page")

    browser.tab().open(f"http://127.0.0.1:{house.port}/")
    check(browser.run("return getComputedStyle(document.querySelector('.tile')).borderRadius") != "0px", "it has its style")
    for name, width, media, scheme in (
            ("light", 1280, "screen", "light"), ("dark", 1280, "screen", "dark"), ("narrow", 320, "screen", "light"),
            ("print", 800, "print", "light")):
        look(browser, name, width, media, scheme)
    browser.cdp("Emulation.clearDeviceMetricsOverride")
    browser.cdp("Emulation.setEmulatedMedia", media="", features=[])
    text = daemon.run("plan", "label", house.plan)[1]
    shown = " ".join(browser.run("return document.body.textContent").split())
    for line in re.sub(r"\n +(?![ -])", " ", text).splitlines():
        words = line.lstrip("#- ").removeprefix("Split by: ").removeprefix("Counts, ").removeprefix("Adds up ").strip(":")
        if words and ", from " not in words:
            check(words in shown, "the page lacks what the label says:", words)

    browser.run("document.querySelector('#event').value = 'order'")
    browser.driver.find_element(By.NAME, "amount").send_keys("5000")
    browser.driver.find_element(By.NAME, "screen").send_keys("390x844")
    browser.click("form button")
    browser.until("return !!document.querySelector('.result')")
    remains = browser.run("return [...document.querySelectorAll('.remains li')].map(each => each.innerText)")
    check(remains == ["Screen\nsmall", "revenue\n2,000.00 EUR"], "all that would remain:", remains)
    look(browser, "trial", 1280, "screen", "light")
    browser.quiet()
    ledger.holds("the transparency page says what the label says, axe finds nothing, and a trial counts nothing")


# Words of a drawing that lie on other words of it, or out of the card that it stands on. What is slanted is compared as it
# is, not by the upright box around it. Letters rarely fill their box: a pixel and a half on each side are no collision.
COLLISIONS = """
    const corners = text => {
        const box = text.getBBox(), matrix = text.getScreenCTM()
        return [[box.x, box.y], [box.x + box.width, box.y], [box.x + box.width, box.y + box.height], [box.x, box.y + box.height]]
            .map(([x, y]) => new DOMPoint(x, y).matrixTransform(matrix))
    }
    const apart = (one, two) => [one, two].some(shape => [0, 1].some(side => {
        const [x, y] = [shape[side + 1].y - shape[side].y, shape[side].x - shape[side + 1].x]
        const length = Math.hypot(x, y) || 1
        const [left, right] = [one, two].map(each => each.map(point => (point.x * x + point.y * y) / length))
        return Math.max(...left) - 1.5 < Math.min(...right) + 1.5 || Math.max(...right) - 1.5 < Math.min(...left) + 1.5
    }))
    const found = []
    for (const chart of document.querySelectorAll('.chart')) {
        const texts = [...chart.querySelectorAll('svg text')]
            .filter(text => text.textContent.trim() && getComputedStyle(text).display !== 'none')
            .map(text => ({words: text.textContent, corners: corners(text)}))
        const card = chart.closest('.insight, main, body').getBoundingClientRect()
        for (const {words, corners} of texts)
            if (corners.some(point => point.x < card.left - 1.5 || point.x > card.right + 1.5)) found.push(words)
        texts.forEach((one, place) => {
            for (const two of texts.slice(place + 1))
                if (!apart(one.corners, two.corners)) found.push(one.words + ' | ' + two.words)
        })
    }
    return found"""


def look(browser, name, width, media, scheme, page="transparency"):
    browser.cdp("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
    browser.cdp("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme}])
    browser.until("return matchMedia(`(prefers-color-scheme: ${arguments[0]})`).matches".replace("arguments[0]", f"'{scheme}'"))
    over = browser.run("return document.documentElement.scrollWidth - innerWidth")
    check(over <= 0, name, "scrolls sideways by", over)
    collisions = browser.run(COLLISIONS)
    check(not collisions, page, name, "has words on words, or out of their card:", "\n".join(collisions))
    axe = Axe(browser.driver)
    axe.inject()
    found = axe.run()
    check(not found["violations"], name, "axe:", axe.report(found["violations"]))
    check(len(found["passes"]) > 20, "axe looked at", len(found["passes"]), "rules")
    folder = os.environ.get("THRONG_TEST_SCREENSHOTS")
    if folder:
        os.makedirs(folder, exist_ok=True)
        height = browser.run("return document.documentElement.scrollHeight")
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        image = browser.cdp("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)["data"]
        with open(os.path.join(folder, f"{page}-{name}.png"), "wb") as file:
            file.write(base64.b64decode(image))


def script(house):
    status, headers, body = house.get("/throng.js", {"accept-encoding": "gzip"})
    headers = {key.lower(): value for key, value in headers.items()}
    check(status == 200 and headers["content-encoding"] == "gzip", status, headers)
    check(headers["content-type"] == "text/javascript; charset=utf-8" and headers["x-content-type-options"] == "nosniff",
          headers)
    check("max-age=3600" in headers["cache-control"], headers)
    check(len(body) <= 4000, "throng.js is", len(body), "bytes gzipped")
    plain = house.get("/throng.js")[2]
    check(gzip.decompress(body) == plain and b"eval" not in plain and b"//" not in plain.replace(b":\\/\\/", b""), "the same text")
    status, again, nothing = house.get("/throng.js", {"if-none-match": "\"x\", " + headers["etag"]})
    check((status, nothing) == (304, b""), "it is not sent twice:", status)
    say(f"throng.js: {len(body):,} bytes gzipped, {len(plain):,} plain")


def plan():
    with open(os.path.join(SITE, "webshop.yaml")) as file:
        text = file.read()
    check(text.count("rotation: 1 day") == 2, "the sample's rotations")
    # One more event, with a dimension of every kind of rule.
    dimensions = "".join(
        f"  {name}:\n    title: {name}\n    field: {name}\n    {rule}\n" for name, (rule, _) in (PROBES | LEFT_OUT).items())
    # And one that reads the same field as another.
    dimensions += "  p_again:\n    title: p_again\n    field: p_route\n    route: [/a/*]\n"
    names = [*PROBES, *LEFT_OUT, "p_again"]
    described = "question: Is it so?, decision: None., owner: Tests, expires: 2027-10-31, purpose: product"
    metrics = "".join(
        f"  {name}s: {{title: {name}, events: [probe], {described}, dimensions: [{name}], period: day}}\n" for name in names)
    dimensions += "  p_open:\n    title: p_open\n    field: p_open\n    revealed: {most: 5}\n"
    metrics += f"  open: {{title: Open, events: [open], {described}, dimensions: [p_open], period: day}}\n"
    metrics += f"  rarely: {{title: Rare, events: [rare], {described}, dimensions: [kind], period: day, sampling: 0.5}}\n"
    text = text.replace("dimensions:\n  page:", f"dimensions:\n{dimensions}  page:", 1)
    text = text.replace("metrics:\n  views:", f"metrics:\n{metrics}  views:", 1)
    return text.replace("rotation: 1 day", f"rotation: {daemon.duration(ROTATION)}")


def test():
    port = daemon.free_ports(1)[0]
    house = daemon.Daemon(plan(), name="webshop", THRONG_INTAKE_ORIGINS="*")
    site = Site(house)
    house.settings["THRONG_INTAKE_ORIGINS"] = " ".join(
        site.url(host=host)[:-1] for host in ("shop.example", "flaky.example", "memory.example", "debug.example"))
    # A name of its own, so that the daemon is another site, too.
    house.address = f"http://count.example:{house.port}"
    house.start()
    script(house)
    ledger = Ledger(house)
    with Browser() as browser:
        check(not browser.run("return navigator.webdriver"), "the browser does not say that it is driven")
        for claim in (walk, consent, offline, lost_answers, signals, close, back_and_forward, prerendered, same_buckets,
                      limits, debugging, strangers, transparency):
            claim(browser, site, ledger)
    phone(site, ledger)
    time.sleep(1)
    ledger.holds("and nothing came after")
    check(house.stop() == 0, "serve stops gracefully")


if __name__ == "__main__":
    daemon.main(test)
