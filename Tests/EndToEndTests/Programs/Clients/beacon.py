"""Chromium walks through the sample shop, whose page is on another origin than the daemon, under a strict policy; what
PostgreSQL has in the end is exactly what was done. Then axe reads the transparency page."""

import gzip
import json
import os
import time

import daemon
from browser import Browser, By
from daemon import check, say, until
from ledger import Ledger, screen_of
from page_look import look
from paged_house import ALL_LOOKS, pictures
from shop_visits import back_and_forward, close, consent, fields, lost_answers, offline, prerendered, signals, walk
from webshop import ROTATION, Site, plan

PHONE = ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5"
         " Mobile/15E148 Safari/604.1")


def limits(browser, site, ledger):
    """What a page may hold and send at most, and how often."""
    browser.tab().open(site.url("/")).ready()
    screen = screen_of(browser)
    # Many views that differ, in batches that a beacon can carry, of each of which the daemon reads four user agents.
    browser.run("for (let n = 0; n < 600; n++) throng.record('view', {user_agent: (n + ' ').padEnd(250, 'x')})")
    browser.answered("length > 1")
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


# What a page says is heard in it: the browser hands its log over when it likes, and under load not at all.
HEAR = ("window.heard = []; for (const kind of ['log', 'info', 'warn', 'error'])"
        " console[kind] = (...words) => window.heard.push(words.join(' '));")


def debugging(browser, site, ledger):
    """A developer who asks for it is told what the plan does not have, and nobody else is."""
    calls = "throng.record('teleport'); throng.record('refund', {amount: 1}); throng.record('add_to_cart', {kind: 'arc', color: 'red'});"
    calls += " throng.record('add_to_cart', {kind: 'sofa'}); throng.consent('nobody', true); throng.record('order'); throng.flush()"
    for host in ("shop.example", "debug.example"):
        browser.tab().open(site.url("/", host)).ready()
        browser.run(HEAR + calls)
        browser.answered("length > 1")
        ledger.view("/", screen_of(browser))
        ledger.add("baskets", "Floor")
        ledger.add("baskets", "other")
        expected = ["throng knows no event teleport", "throng leaves to backends refund", "throng knows no field color",
                    "throng lists no bucket for kind sofa",
                    "throng knows no purpose nobody",
                    "throng was refused for invalid_value in order amount"] if host == "debug.example" else []
        words = browser.run("return window.heard")
        check(words == expected, host, "says", words)
        check(browser.run("return throng.sent.every(batch => batch.purpose != 'served')"), host, "sends what is for backends")
    browser.tab().cdp("Page.addScriptToEvaluateOnNewDocument", source=HEAR)
    browser.open(site.url("/unplanned", "debug.example"))
    browser.until("return window.heard.length > 0")
    words = browser.run("return window.heard")
    check(words == ["throng knows no app unplanned"], "about an unknown app it says", words)
    ledger.holds("with data-debug the console says what the plan does not have")


def strangers(browser, site, ledger):
    """Other people's pages, and what a page may send besides what browsers take for simple."""
    house = ledger.house
    browser.tab().open(site.url("/")).ready()
    ledger.view("/", screen_of(browser))
    body = {
        "app": "webshop", "purpose": "product", "window": int(time.time()) // ROTATION, "id": "stranger",
        "batch": os.urandom(16).hex(), "events": [{"event": "order", "at": daemon.instant(), "fields": {"amount": 1}}]}
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
    until(lambda: any("blocked by CORS policy" in entry["message"] for entry in browser.driver.get_log("browser")),
          "the browser says why", seconds=120)
    ledger.holds("pages of origins that are not listed count nothing")
    # What else the log has of them is no complaint of the next page.
    browser.driver.get_log("browser")


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
    """The page that says what is counted: axe finds nothing on it, light, dark, narrow, on paper, and after a trial. LabelPageTests see
    that it says what the label says."""
    house = ledger.house
    status, headers, body = house.get("/")
    check(status == 200 and headers["content-type"] == "text/html; charset=utf-8", status, headers)
    for part in ("default-src 'none'", "style-src 'sha256-", "frame-ancestors 'none'", "form-action 'self'"):
        check(part in headers["content-security-policy"], "the policy lacks", part)
    check("unsafe" not in headers["content-security-policy"] and headers["x-content-type-options"] == "nosniff", headers)
    check(house.get("/apps/webshop")[0] == 200 and house.get("/apps/nowhere")[0] == 404, "an app's own page")

    browser.tab().open(f"http://127.0.0.1:{house.port}/")
    check(browser.run("return getComputedStyle(document.querySelector('.tile')).borderRadius") != "0px", "it has its style")
    pictures(browser, "transparency", ALL_LOOKS)
    browser.run("document.querySelector('#event').value = 'order'")
    browser.driver.find_element(By.NAME, "amount").send_keys("5000")
    browser.driver.find_element(By.NAME, "screen").send_keys("390x844")
    browser.click("form button")
    browser.until("return !!document.querySelector('.result')")
    remains = browser.run("return [...document.querySelectorAll('.remains li')].map(each => each.innerText)")
    check(remains == ["Screen\nsmall", "revenue\n2,000.00 EUR"], "all that would remain:", remains)
    look(browser, "trial", 1280, "screen", "light", "transparency")
    browser.quiet()
    ledger.holds("axe finds nothing on the transparency page, and a trial counts nothing")


def scripts(house):
    """What pages load is small, and the same whether it is packed or not."""
    for path, most in (("/throng.js", 7500), ("/throng-panel.js", 4000), ("/throng-oblivious.js", 1600)):
        status, headers, body = house.get(path, {"accept-encoding": "gzip"})
        check(status == 200 and headers["content-encoding"] == "gzip", path, status, headers)
        check(headers["content-type"] == "text/javascript; charset=utf-8" and headers["x-content-type-options"] == "nosniff", headers)
        check("max-age=3600" in headers["cache-control"], headers)
        check(len(body) <= most, path, "is", len(body), "bytes gzipped")
        plain = house.get(path)[2]
        check(gzip.decompress(body) == plain and b"eval" not in plain and b"innerHTML" not in plain, path, "is another text")
        check(b"//" not in plain.replace(b"http://", b"").replace(b"https://", b""), path, "has comments")
        status, _, nothing = house.get(path, {"if-none-match": "\"x\", " + headers["etag"]})
        check((status, nothing) == (304, b""), path, "is sent twice:", status)
        say(f"{path[1:]}: {len(body):,} bytes gzipped, {len(plain):,} plain")


def test():
    house = daemon.Daemon(plan(), name="webshop", THRONG_INTAKE_ORIGINS="*")
    site = Site(house)
    house.settings["THRONG_INTAKE_ORIGINS"] = " ".join(
        site.url(host=host)[:-1] for host in ("shop.example", "flaky.example", "memory.example", "debug.example"))
    # A name of its own, so that the daemon is another site, too.
    house.address = f"http://count.example:{house.port}"
    house.start()
    scripts(house)
    ledger = Ledger(house)
    with Browser() as browser:
        check(not browser.run("return navigator.webdriver"), "the browser does not say that it is driven")
        for claim in (walk, consent, offline, lost_answers, signals, close, back_and_forward, prerendered, fields,
                      limits, debugging, strangers, transparency):
            claim(browser, site, ledger)
    phone(site, ledger)
    time.sleep(1)
    ledger.holds("and nothing came after")
    check(house.stop() == 0, "serve stops gracefully")
