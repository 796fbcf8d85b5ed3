"""The beacon where it used to lose in silence: wrong clocks and clocks that are set, prices as people write them, clicks in
shadow trees and by the middle button, other ways to load it, pages that leave with too much, answers that are taken back, copied
tabs. Each is counted exactly, or said under data-debug."""

import json

import daemon
import pages
import shop
from browser import Browser, By
from daemon import check, say, until
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

ROTATION = daemon.rotation_with_time_left([86400, 23 * 3600, 22 * 3600])
EXPIRES = daemon.expiry(100)
FACTS = f"question: What?, decision: That., owner: Team, expires: {EXPIRES}, period: day, contribution_bound: 100000"
PLAN = f"""
app: {{name: odd, title: Odd, owner: Team, contact: a@example.com, audience: 1000}}
purposes:
  product: {{explanation: To see what is used., consent: not_required, rotation: {daemon.duration(ROTATION)}, retention: 400 days}}
  marketing: {{explanation: To see what sells., consent: required, rotation: {daemon.duration(ROTATION)}, retention: 400 days}}
dimensions:
  browser: {{title: Browser, field: agent, browser: standard}}
  device: {{title: Device, field: user_agent, device_class: standard}}
metrics:
  views: {{title: Views, events: [view], purpose: product, measures: {{reach: true}}, {FACTS}}}
  clicks:
    {{title: Clicks, events: [click], purpose: product, {FACTS.replace("100000", "40")},
    measures: {{sums: {{paid: {{field: amount, from: 0, to: 100000, decimals: 2, unit: EUR}}}}}}}}
  floods: {{title: Floods, events: [flood], purpose: product, dimensions: [browser], {FACTS}}}
  taps: {{title: Taps, events: [tap], purpose: product, dimensions: [device], {FACTS}}}
  visits: {{title: Visits, events: [view], purpose: marketing, measures: {{reach: true}}, {FACTS}}}
  more: {{title: More, events: [flood], purpose: marketing, dimensions: [browser], {FACTS}}}
"""
MAC = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.3 Safari/605.1.15"
# What a page says, and a clock that can be wrong and be set.
WORLD = """window.heard = [];
    for (const kind of ["warn", "error"]) console[kind] = (...words) => heard.push(words.join(" "));
    const now = Date.now; let off = SKEW; Date.now = () => now() + off; window.setClock = (further) => { off += further; };"""
ELEMENTS = """<div id=host></div>
<label id=around data-throng-event=click data-throng-amount=1><input type=checkbox> around</label>
<label id=beside>beside <input type=checkbox data-throng-event=click data-throng-amount=2></label>
<a id=link href="#x" data-throng-event=click data-throng-amount=4>link</a>
<button id=button data-throng-event=click data-throng-amount=8>button</button>
<form id=form data-throng-event=click data-throng-amount=16 action="javascript:void 0"></form>
<script src="/shadow.js"></script>"""
SHADOW = """document.querySelector("#host").attachShadow({mode: "open"}).innerHTML = `
<button id=inner data-throng-event=click data-throng-amount=32>inner</button>
<form data-throng-event=click data-throng-amount=64 onsubmit="return false"><input><button id=go>go</button></form>
<form data-throng-event=click data-throng-amount=128 onsubmit="return false"><input id=enter></form>`;"""
PRICES = """<form data-throng-event="click" data-throng-amount="24,90" onsubmit="return false"><button id=a>buy</button></form>
<button id=b data-throng-event="click" data-throng-amount=" 24.90">buy</button>"""


class Page(pages.Handler):
    def do_GET(self):
        script = self.server.script
        view = f'<script defer src="{script}" data-app="odd" data-view="view" data-debug></script>'
        plain = view.replace('data-view="view" ', "")
        add = 'const e = document.createElement("script"); e.src = "%s"; document.head.append(e);'
        texts = {
            "/": view, "/plain": plain, "/elsewhere": "elsewhere", "/elements": plain + ELEMENTS, "/prices": plain + PRICES,
            "/module": view.replace("defer", "type=module"),
            "/manager": f"<script>{add % (script + '?app=odd&view=view&debug')}</script>",
            "/dropped": f"<script>{add % script}</script>",
            "/frozen": "<script>Object.freeze(History.prototype); Object.freeze(history)</script><p id=throng></p>" + view,
            "/sandbox": '<iframe sandbox="allow-scripts" src="/"></iframe>',
        }
        kind, text = ("text/javascript", SHADOW) if self.path == "/shadow.js" else ("text/html", texts.get(self.path, ""))
        self.answer(200 if text else 404, text.encode(), content_type=kind + "; charset=utf-8")


class Visitor:
    """A browser, and what PostgreSQL is to have."""

    def __init__(self, house, site, browser):
        self.house, self.site, self.browser = house, site, browser
        self.expected = {"views": 0, "clicks": 0, "floods": 0, "taps": 0, "visits": 0, "more": 0}

    def visit(self, path, skew=0):
        """A fresh tab whose clock is so many seconds ahead."""
        self.browser.tab().cdp("Page.addScriptToEvaluateOnNewDocument", source=WORLD.replace("SKEW", str(skew * 1000)))
        return self.open(path)

    def open(self, path):
        self.browser.open(self.site.url(path, "shop.example"))
        if path != "/elsewhere" and path != "/dropped" and path != "/sandbox":
            self.browser.until("return !!window.throng?.record")
        return self

    def run(self, script, *arguments):
        return self.browser.run(script, *arguments)

    def planned(self):
        """Returns once the plan is there."""
        self.browser.until("return throng.preview('view').then((answers) => !!answers.product)")

    def sent(self):
        self.browser.answered("length > 0")

    def devices(self):
        """Identifiers that PostgreSQL has of marketing's visits, which nothing splits."""
        return int(self.house.sql("select coalesce(sum(devices), 0) from throng.distinct_count join throng.metric_layout using (metric_id)"
                                  " where metric = 'visits'")[0][0])

    def holds(self, words, **more):
        for metric, count in more.items():
            self.expected[metric] += count

        def found():
            self.house.drain()
            return {metric: shop.counted(self.house, metric) for metric in self.expected}
        until(lambda: found() == self.expected, words, "- expected", self.expected, "found", found)
        say(words)


def clocks(visitor):
    skews = [16 * 60, -16 * 60, 310, 2 * 86400, -2 * 86400, 5 * 365 * 86400, -20 * 365 * 86400]
    for skew in skews:
        visitor.visit("/", skew).sent()
    visitor.holds("a view counts whatever the clock says", views=len(skews))
    for skew in (2 * 86400, -16 * 60):
        visitor.visit("/", skew).planned()
        visitor.open("/elsewhere")
    visitor.holds("and so does that of a page that is left before it sends", views=2)
    for step in (3 * 86400, -3 * 86400, 1200, -1200):
        visitor.visit("/").sent()
        visitor.run("setClock(arguments[0] * 1000); throng.record('view')", step)
        visitor.browser.answered("length > 1")
        visitor.run("setClock(-arguments[0] * 1000); throng.record('view')", step)
        visitor.open("/elsewhere").open("/plain")
        visitor.browser.until("return throng.sent.every((each) => each.answer)", poke="throng.flush()")
    visitor.holds("a clock that is set under way loses nothing, nor does a page that is left right after it", views=4 * 3)


def prices(visitor):
    visitor.visit("/prices").planned()
    visitor.browser.click("#a").click("#b")
    visitor.sent()
    readable = ["1.234,50", "1 234.50", "€ 24.90", "EUR 24,90", "CHF 1'234.50", "R$ 1.234,50", "0,125", "1\u202f234,50", "1.234.567",
                "24,- €", "1,23,456.00", "24,90 zł", "Fr. 24.90", "\u0662\u0664\u066b\u0669", "kr 24,90", "24\u200e,90*", "KWD 1.234"]
    for amount in readable:
        visitor.run("throng.record('click', {amount: arguments[0]})", amount)
    visitor.browser.settled()
    visitor.browser.answered("map((each) => each.body).join().includes('1234567')")
    check(visitor.run("return heard") == [], "something that can be read is complained about:", visitor.run("return heard"))
    amounts = sorted(event["fields"]["amount"] for batch in visitor.browser.sent() for event in batch["events"]
                     for _ in range(event["count"]))
    check(amounts == sorted([24.9] * 9 + [1234.5] * 5 + [0.125, 1234567, 24, 123456, 1.234]), "prices are read as", amounts)
    visitor.holds("prices count as people write them", clicks=2 + len(readable))
    for amount in ("1,234", "1.234", "12K", "1,23,456,00", "24,90 kg", "0 125", "24.900 ₫", "1.23,456", "from 24.90", "kr.", "abc"):
        visitor.run("heard.length = 0; throng.record('click', {amount: arguments[0]})", amount)
        words = visitor.run("return heard")
        check(words == ["throng knows no number in amount"], amount, "is not said to be none:", words)
    visitor.browser.settled()
    visitor.holds("what may be two numbers is neither, and that is said")


def middle(visitor, selector, button="middle"):
    place = visitor.run("const box = document.querySelector(arguments[0]).getBoundingClientRect();"
                        " return [box.x + box.width / 2, box.y + box.height / 2]", selector)
    for kind in ("mousePressed", "mouseReleased"):
        visitor.browser.cdp("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button=button, clickCount=1)


def elements(visitor):
    visitor.visit("/elements").planned()
    visitor.browser.click("#around").click("#beside").click("#link")
    middle(visitor, "#link")
    middle(visitor, "#link", "right")
    middle(visitor, "#button")
    visitor.browser.driver.find_element(By.ID, "button").send_keys(Keys.ENTER)
    visitor.run("""const form = document.querySelector("#form");
        form.submit();
        form.addEventListener("submit", (event) => event.preventDefault());
        form.requestSubmit();
        form.submit();""")
    inside = visitor.browser.driver.find_element(By.ID, "host").shadow_root
    inside.find_element(By.CSS_SELECTOR, "#inner").click()
    inside.find_element(By.CSS_SELECTOR, "#go").click()
    ActionChains(visitor.browser.driver).click(inside.find_element(By.CSS_SELECTOR, "#enter")).send_keys(Keys.ENTER).perform()
    visitor.sent()
    expected = {1: 1, 2: 1, 4: 2, 8: 1, 16: 2, 32: 1, 64: 1, 128: 1}

    def heard():
        visitor.run("throng.flush()")
        found = {}
        for batch in visitor.browser.sent():
            for event in batch["events"]:
                amount = event["fields"]["amount"]
                found[amount] = found.get(amount, 0) + event["count"]
        return found
    until(lambda: heard() == expected, "of what was clicked and sent", expected, "was heard", heard)
    visitor.browser.settled()
    visitor.holds("each click and each form counts once, in shadow trees too", clicks=sum(expected.values()))


def tablets(visitor):
    for points, device in ((0, "Macintosh; Intel Mac OS X"), (5, "iPad;CPU OS 13_0 like Mac OS X")):
        facts = {"userAgent": MAC, "maxTouchPoints": points}
        visitor.browser.tab().cdp("Page.addScriptToEvaluateOnNewDocument", source=WORLD.replace("SKEW", "0") + "".join(
            f"Object.defineProperty(Navigator.prototype, {json.dumps(name)}, {{get: () => {json.dumps(value)}}});"
            for name, value in facts.items()))
        visitor.open("/plain").planned()
        visitor.run("throng.record('tap')")
        visitor.sent()
        said = json.dumps(visitor.browser.sent())
        check(device in said, "a Mac with", points, "touch points says", said)
    visitor.holds("an iPad that says it is a Mac is told by its touch screen", taps=2)


def loading(visitor):
    for path in ("/module", "/manager", "/frozen"):
        visitor.visit(path).sent()
        sent = visitor.run("return throng.sent.length")
        visitor.run("history.pushState(null, '', '/plain')")
        visitor.browser.answered(f"length > {sent}")
    visitor.holds("modules, tag managers and pages that freeze what is the browser's count", views=6)
    visitor.visit("/dropped")
    visitor.browser.until("return heard.length > 0")
    words = visitor.run("return heard")
    check("without data-app" in words[0], "an app that got lost is not missed:", words)
    visitor.visit("/sandbox")
    visitor.holds("so do sandboxed frames", views=1)


def leaving(visitor):
    visitor.visit("/plain").planned()
    visitor.run("throng.consent('marketing', true)")
    visitor.run("for (let n = 0; n < 250; n++) throng.record('flood', {agent: (n % 4 + ' ' + n).padEnd(200, 'x')})")
    visitor.open("/elsewhere").open("/plain").planned()
    visitor.run("throng.consent('marketing', true)")
    visitor.sent()
    held, accepted = {}, {}
    for each in visitor.run("return throng.sent"):
        held[each["purpose"]] = held.get(each["purpose"], 0) + len(json.loads(each["body"])["events"])
        accepted[each["purpose"]] = accepted.get(each["purpose"], 0) + each["answer"]["accepted"]
    check(held == {"product": 250, "marketing": 250}, "the next page asks for", held)
    # Of each batch the daemon reads four user agents.
    visitor.holds("a page that leaves with more than 64 KiB is counted by the next one",
                  floods=accepted["product"], more=accepted["marketing"])


def taken_back(visitor):
    visitor.visit("/").sent()
    visitor.run("throng.consent('marketing', true)")
    visitor.browser.answered("some((each) => each.purpose == 'marketing')")
    visitor.holds("who agrees is counted", views=1, visits=1)
    check(visitor.devices() == 1, "devices:", visitor.devices())
    visitor.run("throng.consent('marketing', false)")
    visitor.open("/plain").planned()
    visitor.run("throng.consent('marketing', false)")
    visitor.browser.until("return throng.sent.every((each) => each.answer)", poke="throng.flush()")
    visitor.holds("what is taken back is gone, although the page was left at once", visits=-1)
    visitor.open("/")
    visitor.run("throng.consent('marketing', true)")
    visitor.browser.until("return throng.sent.some((each) => each.purpose == 'marketing')", poke="throng.flush()")
    visitor.sent()
    visitor.holds("who agrees again is counted", views=1, visits=1)
    check(visitor.devices() == 1, "agreeing again is", visitor.devices(), "devices")


def copied(visitor):
    visitor.visit("/").sent()
    first = {batch["id"] for batch in visitor.browser.sent()}
    visitor.run("""const button = document.createElement("button");
        button.id = "open"; button.onclick = () => window.open("/"); document.body.append(button)""")
    visitor.browser.click("#open")
    visitor.browser.driver.switch_to.window(visitor.browser.driver.window_handles[-1])
    visitor.browser.until("return !!window.throng?.record")
    visitor.sent()
    second = {batch["id"] for batch in visitor.browser.sent()}
    check(len(second) == 1 and not first & second, "a window that a page opened has its identifier")
    visitor.open("/plain").planned()
    visitor.run("throng.record('view')")
    visitor.sent()
    check({batch["id"] for batch in visitor.browser.sent()} == second, "and another one on each page")
    visitor.holds("a window that a page opens is another device, on all of its pages", views=3)


def test():
    house = daemon.Daemon(PLAN, name="odd").start()
    site = pages.Server(Page, script=f"http://count.example:{house.port}/throng.js")
    with Browser() as browser:
        visitor = Visitor(house, site, browser)
        for claim in (clocks, prices, elements, tablets, loading, leaving, taken_back, copied):
            claim(visitor)
    check(house.stop() == 0, "serve stops gracefully")
