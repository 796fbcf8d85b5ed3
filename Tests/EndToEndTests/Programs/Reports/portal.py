"""Partners, an analyst and an operator of the sample shop sign in with their tokens, in Chromium, and see what is theirs and nothing
else. Sessions are PortalSessionTests', comparisons ComparisonTests', analysts' rights ExplorerRightsTests'."""

import base64
import glob
import hashlib
import json
import os
import re
import urllib.parse
from xml.etree import ElementTree

import pages
from browser import Browser, By
from daemon import check, read, read_bytes, say, temporary, write
from explored import crawl
from paged_house import ALL_LOOKS, PagedHouse, choose, demonstrate, enter, pictures, sample_plan

DAYS = 3  # of the demonstration
PARTNERS = {"bank": "bank_daily", "magazine": "magazine_daily"}
PLAN = sample_plan().replace("reports:\n", """reports:
  open: {title: For everybody, public: true, insights: [revenue_trend, purchases_by_shopper], period: day, schedule: 0 6 * * *}
""", 1)


def doors(house, tokens):
    """Who gets in, and who does not."""
    for path in ("/reports", "/operator", "/reports/bank_daily/x.html", "/reports/bank_daily/compare?from=a&to=b"):
        status, headers, body = house.ask("GET", path)
        check(status == 401 and b'name="token"' in body, path, "without a token answers", status)
        check("default-src 'none'" in headers["content-security-policy"] and "unsafe" not in headers["content-security-policy"], headers)
        check(headers["cache-control"] == "no-store" and headers["x-content-type-options"] == "nosniff", headers)
    good = tokens["bank"]
    check(re.fullmatch(r"throng_[0-9a-f]{8}_[\w-]{43}", good), "a token is", good)
    changed = good[:-1] + ("A" if good[-1] != "A" else "B")
    refusals = set()
    for wrong in ("", "x", changed, good[:20], good.replace(good[7:15], "00000000"), "throng_%s_%s" % (good[7:15], "A" * 43)):
        status, headers, body = house.sign_in(wrong)
        check(status == 403 and "set-cookie" not in headers, "a wrong token got", status)
        refusals.add(body)
    check(len(refusals) == 1, "refusals tell tokens apart")
    for other in ({"sec_fetch_site": "cross-site"}, {"origin": "https://evil.example"}):
        status, headers, _ = house.sign_in(good, **other)
        check(status == 403 and "set-cookie" not in headers, "a form of", other, "got", status)
    status, headers, _ = house.sign_in(good)
    check(all(part in headers["set-cookie"] for part in ("__Host-", "Secure", "HttpOnly", "SameSite=Strict", "Path=/")), headers)
    cookie = headers["set-cookie"].split(";")[0]
    check(house.ask("GET", "/reports", cookie)[0] == 200, "a cookie opens the reports")
    operator, analyst = house.cookie(tokens["operator"]), house.cookie(tokens["analyst"])
    for role, path, opens in (
            (cookie, "/operator", False), (operator, "/operator", True), (operator, "/reports", False), (cookie, "/explore", False),
            (operator, "/v1/numbers/purchases", False), (analyst, "/explore?app=shop&metric=purchases", True),
            (analyst, "/reports", False), (analyst, "/operator", False)):
        check((house.ask("GET", path, role)[0] == 200) == opens, path, "opens where it should not, or the other way round")
    say("tokens open what is theirs")


def files(house, cookies, folder):
    """Downloads are the delivered bytes; another partner's are not there."""
    for partner, report in PARTNERS.items():
        other = cookies["magazine" if partner == "bank" else "bank"]
        body = house.ask("GET", "/reports", cookies[partner])[2].decode()
        links = re.findall(rf'href="(/reports/{report}/[^"]+\.(?:html|csv|json))"', body)
        check(len(set(links)) >= 3, "the page of", partner, "has", links)
        check(all(name not in body for name in PARTNERS.values() if name != report), "another partner's report is named")
        for link in set(links):
            status, headers, bytes_ = house.ask("GET", link, cookies[partner])
            check(status == 200, link, status)
            path = os.path.join(folder, "reports", partner, link.split("/")[-1])
            if os.path.exists(path):
                check(read_bytes(path) == bytes_, link, "is not what was delivered")
            check("sandbox" in headers["content-security-policy"] and "no-store" in headers["cache-control"], headers)
            if not link.endswith(".html"):
                check(headers["content-disposition"].startswith("attachment"), headers)
            missing = house.ask("GET", f"/reports/{report}/{report}-1999-01-01.html", other)
            others = house.ask("GET", link, other)
            check(others[0] == 404 and others[2] == missing[2], "another's report is told from one that is not there")
            compare = f"/reports/{report}/compare?from=1999-01-01&to=1999-01-01"
            check(house.ask("GET", compare, other)[2] == missing[2], "and so is a comparison")
    for path in ("/reports/bank_daily/..%2f..%2fdaemon.id", "/reports/bank_daily/%00", "/reports/' or 1=1/x"):
        check(house.ask("GET", urllib.parse.quote(path, safe="/%"), cookies["bank"])[0] in (400, 404), path)
    say("downloads are what was delivered")


def walk(house, tokens):
    """As people do it: read, compare, leave."""
    with Browser(language="en") as browser:
        browser.open(house.address + "/")
        pictures(browser, "sign-in")
        browser.driver.find_element(By.NAME, "token").send_keys("throng_00000000_nothing")
        browser.click(".door button")
        browser.until("return /not known/.test((document.querySelector('[role=alert]') || {}).textContent)")
        pictures(browser, "sign-in-refused")
        enter(browser, house, tokens["bank"], "/reports")
        check(browser.run("return document.cookie") == "", "a script can read the cookie")
        pictures(browser, "reports", ALL_LOOKS)
        if browser.run("return !!document.querySelector('.compare')"):
            browser.click(".compare button")
            browser.until("return location.pathname.endsWith('/compare') && document.readyState === 'complete'")
            pictures(browser, "comparison")
            browser.click(".back a")
            browser.until("return location.pathname === '/reports' && document.readyState === 'complete'")
        browser.click(".latest a")
        browser.until("return document.querySelectorAll('.insight').length > 3")
        browser.open(house.address + "/reports")
        browser.click(".who button")
        browser.until("return location.pathname === '/' && !!document.querySelector('#token')")
        browser.open(house.address + "/reports")
        check(browser.run("return !!document.querySelector('#token')"), "signed out and still in")
        enter(browser, house, tokens["operator"], "/operator")
        pictures(browser, "operator", ALL_LOOKS)
    say("people get around")


def explore(house, token):
    """As an analyst does it, with pictures."""
    with Browser(language="en") as browser:
        enter(browser, house, token, "/explore")
        pictures(browser, "explore")
        browser.run("[...document.querySelectorAll('.catalogue a')].find(each => each.textContent === 'Purchases').click()")
        browser.until("return !!document.querySelector('#numbers') && document.readyState === 'complete'")
        pictures(browser, "explore-bars", ALL_LOOKS)
        days = browser.run("return [...document.querySelector('[name=from]').options].map(each => each.value)")
        check(len(days) == DAYS, "released days are", days)
        choose(browser, "from", days[-1])
        browser.until("return document.querySelectorAll('svg.lines').length > 2 && document.readyState === 'complete'")
        pictures(browser, "explore-lines")
        for page, query, selector in (("number", "metric=purchases&grouping=(total)&measure=revenue", ".stat .value"),
                                      ("trend", f"metric=purchases&grouping=(total)&measure=revenue&from={days[-1]}", "svg.lines"),
                                      ("heat", "metric=product_views&grouping=os,%20channel", "table.heat .withheld"),
                                      ("reach", "metric=product_views&grouping=os&measure=devices", "svg.bars"),
                                      ("problem", "metric=purchases&grouping=nothing", ".allowed")):
            browser.open(f"{house.address}/explore?app=shop&{query}")
            check(browser.run(f"return !!document.querySelector('{selector}')"), page, "lacks", selector)
            pictures(browser, f"explore-{page}")
        browser.open(f"{house.address}/ask?app=shop&metric=product_views&split=browser&measure=devices&kind=day")
        check(browser.run("return !!document.querySelector('.asking legend') && !!document.querySelector('.data td')"), "/ask lacks costs")
        pictures(browser, "ask", ALL_LOOKS)
    say("analysts' pages are wide, narrow, dark and printed, and axe finds nothing")


def narrow(folder):
    """On a small screen, rankings and lists of one number are seen whole; wider tables scroll by themselves."""
    with Browser(language="en") as browser:
        browser.cdp("Emulation.setDeviceMetricsOverride", width=320, height=900, deviceScaleFactor=1, mobile=False)
        for partner in PARTNERS:
            reports = os.path.join(folder, "reports", partner)
            page = sorted(name for name in os.listdir(reports) if name.endswith(".html"))[-1]
            browser.open("file://" + os.path.join(reports, page))
            tables, withheld = browser.run(read(os.path.dirname(__file__), "narrow.js"))
            check(len(tables) > 2, page, "has few tables:", tables)
            check(all(over <= 0 for _, over in tables), page, "has tables that scroll sideways:", tables)
            check(all(over <= 0 for _, over in withheld), page, "has no room for withheld steps:", withheld)
    say("tables fit a small screen")


def revocation(house, tokens, cookies):
    listed = house.tokens()
    check(sorted(each["role"] for each in listed) == ["analyst", "operator", "partner", "partner"], listed)
    shown = json.dumps(listed)
    for token in tokens.values():
        check(token[16:] not in shown and hashlib.sha256(token.encode()).hexdigest() not in shown, "the list shows a secret or its hash")
    house.command("token", "revoke", tokens["bank"][7:15], "--data", house.data)
    check(house.ask("GET", "/reports", cookies["bank"])[0] == 401, "a token that was taken back still opens")
    check(house.sign_in(tokens["bank"])[0] == 403, "and lets in")
    check(house.ask("GET", "/reports", cookies["magazine"])[0] == 200, "another one does not open any more")
    say("tokens are taken back at once")


def sessions(house, tokens):
    """People see their own sign-ins and end them, and nobody else's; another site ends none."""
    mine, other = [house.cookie(tokens["operator"]) for _ in range(3)], house.cookie(tokens["magazine"])

    def end(value, cookie, site="same-origin"):
        return house.ask("POST", "/sessions", cookie, f"end={value}", sec_fetch_site=site)[0]

    def open():
        return [house.ask("GET", "/operator", cookie)[0] == 200 for cookie in mine]

    check(house.ask("GET", "/sessions")[0] == 401, "without a cookie sign-ins are shown")
    page = house.ask("GET", "/sessions", mine[0])[2].decode()
    own = [hashlib.sha256(cookie.split("=")[1].encode()).hexdigest() for cookie in mine]
    check(all(f'name="end" value="{each}"' in page for each in own[1:]), "the page lists", page)
    check("127.0.0" not in page and page.count("(this browser)") == 1, "the page says from where, or not which one this is")
    check(all(cookie.split("=")[1] not in page for cookie in mine), "the page has a cookie")
    check(end(own[1], mine[0], "cross-site") == 403 and end(own[1], other) == 303 and all(open()), "others end somebody's sign-ins")
    check(end(own[1], mine[0]) == 303 and open() == [True, False, True], "one was ended:", open())
    check(house.ask("POST", "/sign-out", mine[2], body="", sec_fetch_site="cross-site")[0] == 403, "another site signs people out")
    check(house.ask("POST", "/sign-out", mine[2], body="", sec_fetch_site="same-origin")[0] == 303, "signing out")
    check(open() == [True, False, False] and house.ask("GET", "/reports", other)[0] == 200, "who signed out is out:", open())
    say("people see and end their own sign-ins")


def links(house, tokens):
    """A link signs a partner in once, whoever looks at it before; a feed says what is there; the operator sees who read what."""
    told = house.command("token", "new", "--partner", "magazine", "--plan", house.plan, "--json", "--data", house.data)
    made = json.JSONDecoder().raw_decode(told)[0]
    way = "/" + made["link"].split("/")[-1]
    for _ in range(2):
        status, _, page = house.ask("GET", way)
        check(status == 200 and way.split("=")[1] in page.decode() and 'name="token"' not in page.decode(), "a look at a link:", page)

    def press():
        return house.ask("POST", "/sign-in", None, way.split("?")[1], sec_fetch_site="same-origin")

    status, headers, _ = press()
    check(status == 303 and "Max-Age=2592000;" in headers["set-cookie"], status, headers)
    cookie = headers["set-cookie"].split(";")[0]
    check(press()[0] == 403, "a link signs in twice")
    page = house.ask("GET", "/reports", cookie)[2].decode()
    address = re.search("<code>https?://[^/]+(/reports/feed[^<]+)", page)[1]
    status, headers, feed = house.ask("GET", address)
    check(status == 200 and headers["content-type"].startswith("application/atom+xml"), status, headers)
    atom = "{http://www.w3.org/2005/Atom}"
    entries = ElementTree.fromstring(feed).findall(atom + "entry")
    check(entries and house.ask("GET", address[:-1] + ("0" if address[-1] != "0" else "1"))[0] == 403, "a wrong key reads the feed")
    read = urllib.parse.urlsplit(entries[0].find(atom + "link").get("href")).path
    check(house.ask("GET", read)[0] == 401 and house.ask("GET", read, cookie)[0] == 200, "the feed's key opens a report, or nothing does")
    page = house.ask("GET", "/operator", house.cookie(tokens["operator"]))[2].decode()
    check(re.search(f"<td>magazine</td><td>{made['id']}</td>", page), "the operator does not see who read", read)
    house.command("token", "revoke", made["id"], "--data", house.data)
    check(house.ask("GET", address)[0] == 403 and house.ask("GET", "/reports", cookie)[0] == 401, "what was taken back still opens")
    say("a link opens once, a feed says what is there, and the operator sees who read")


def verification(page, keys, files):
    """Anybody checks a report in a browser, without a network; one that can't check such signatures says so."""
    contents = {os.path.basename(name): base64.b64encode(read_bytes(name)).decode() for name in files}
    with Browser(language="en") as browser:
        browser.open(page)
        pictures(browser, "verify")
        browser.cdp("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0, uploadThroughput=0)
        check((wrong := browser.run(read(os.path.dirname(__file__), "verify_cases.js"), keys, contents)) == [], page, "says", wrong)
        browser.quiet()
    with Browser(language="ar") as browser:
        source = "Object.defineProperty(crypto, 'subtle', {value: undefined}); Object.defineProperty(navigator, 'languages', {value: ['x_odd', 'ar']})"
        browser.cdp("Page.addScriptToEvaluateOnNewDocument", source=source)
        browser.open(page).until("return /Ed25519/.test(document.getElementById('lack').textContent)")
        pictures(browser, "verify-arabic")
        check(browser.run("return document.documentElement.outerHTML.startsWith('<html lang=\"ar\" dir=\"rtl\">')"), "no page in Arabic")
    say("a browser tells what is genuine, without a network")


class Elsewhere(pages.Handler):
    """Another site, which embeds what the page says."""

    def do_GET(self):
        self.answer(200, self.server.code.encode(), content_type="text/html; charset=utf-8")


def everybody(house):
    """Whoever comes sees the public page and its drawings, also on another site, and nothing is asked of them."""
    with Browser(language="en") as browser:
        drawn = "return [...document.images].map(each => (each.loading = 'eager', each.naturalWidth)).join() == '720,720'"
        browser.open(house.address + "/public/shop").until(drawn)
        pictures(browser, "public", ALL_LOOKS)
        code = browser.run("return [...document.querySelectorAll('.drawing code')].map(each => each.textContent).join('')")
        browser.quiet()
        browser.open(pages.Server(Elsewhere, code=code).url()).until(drawn)
    say("everybody sees what is public")


def test():
    data = os.path.join(temporary(), "demo")
    demonstrate(data, write(os.path.join(temporary(), "shop.yaml"), PLAN))
    house = PagedHouse(data, PLAN).start()
    everybody(house)
    tokens = {name: house.token("--partner", name, "--note", "a test") for name in PARTNERS}
    tokens.update(operator=house.token("--operator"), analyst=house.token("--analyst"))
    doors(house, tokens)
    cookies = {name: house.cookie(tokens[name]) for name in PARTNERS}
    files(house, cookies, data)
    crawl(house, house.cookie(tokens["analyst"]), least=40)
    walk(house, tokens)
    explore(house, tokens["analyst"])
    narrow(data)
    day = max(glob.glob(os.path.join(data, "reports", "bank", "*.csv")))
    inbox = glob.glob(day[:-len("csv")] + "*")
    for page in (house.address + "/verify", "file://" + os.path.join(data, "signing", "verify.html")):
        verification(page, read(data, "signing", "keys.json"), inbox)
    revocation(house, tokens, cookies)
    sessions(house, tokens)
    links(house, tokens)
    check(house.stop() == 0, "SIGTERM ended with", house.process.returncode)
