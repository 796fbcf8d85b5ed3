"""Partners and an operator sign in with their tokens, in Chromium, and see what is theirs and nothing else.

THRONG_TEST_SCREENSHOTS names a folder that keeps pictures of the pages.
"""

import hashlib
import http.client
import json
import os
import re
import shutil
import subprocess
import tempfile
import urllib.parse

import daemon
from browser import Browser, By
from daemon import BINARY, SAMPLE, Daemon, check, say
from page_look import look

PARTNERS = {"bank": "bank_daily", "magazine": "magazine_daily"}


class House(Daemon):
    """The data directory that a demonstration left, with pages."""

    def __init__(self, folder):
        with open(os.path.join(SAMPLE, "shop.yaml")) as file:
            super().__init__(file.read(), "shop")
        self.data = folder
        self.portal_port = daemon.free_ports(1)[0]

    @property
    def address(self):
        return f"http://127.0.0.1:{self.portal_port}"

    def ask(self, method, path, cookie=None, body=None, **headers):
        """Status, headers by lower-case names, body."""
        line = http.client.HTTPConnection("127.0.0.1", self.portal_port, timeout=30)
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        if cookie:
            headers["cookie"] = cookie
        if body is not None:
            headers["content-type"] = "application/x-www-form-urlencoded"
        line.request(method, path, body, headers)
        answer = line.getresponse()
        found = answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
        line.close()
        return found

    def command(self, *words):
        code, out, err = daemon.run(*words, "--data", self.data)
        check(code == 0, words, "ended with", code, err)
        return out.strip()

    def token(self, *words):
        return self.command("token", "new", "--plan", self.plan, *words)

    def sign_in(self, token, **headers):
        return self.ask("POST", "/sign-in", body=urllib.parse.urlencode({"token": token}), **headers)

    def cookie(self, token):
        status, headers, _ = self.sign_in(token)
        check(status == 303 and headers["location"] == "/", status, headers)
        return headers["set-cookie"].split(";")[0]


def demonstrate(folder, days=8):
    done = subprocess.run(
        [BINARY, "demo", "--plan", os.path.join(SAMPLE, "shop.yaml"), "--crowd", SAMPLE, "--devices", "4000", "--days", str(days),
         "--data", folder, "--json"], capture_output=True, text=True, timeout=600, env=daemon.environment())
    check(done.returncode == 0, "throng demo ended with", done.returncode, done.stderr[-2000:])
    return json.loads(done.stdout)


def doors(house, tokens):
    """Who gets in, and who does not."""
    for path in ("/reports", "/operator", "/reports/bank_daily/x.html", "/reports/bank_daily/compare?from=a&to=b"):
        status, headers, body = house.ask("GET", path)
        check(status == 401 and b'name="token"' in body, path, "without a token answers", status)
        check("default-src 'none'" in headers["content-security-policy"] and "unsafe" not in headers["content-security-policy"],
              headers)
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
    status, headers, _ = house.sign_in(good, sec_fetch_site="cross-site")
    check(status == 403 and "set-cookie" not in headers, "a form of another site got", status)
    status, headers, _ = house.sign_in(good, origin="https://evil.example")
    check(status == 403 and "set-cookie" not in headers, "a form of another origin got", status)
    status, headers, _ = house.sign_in(good)
    check(all(part in headers["set-cookie"] for part in ("__Host-", "Secure", "HttpOnly", "SameSite=Strict", "Path=/")), headers)
    cookie = headers["set-cookie"].split(";")[0]
    name, _, value = cookie.partition("=")
    check(house.ask("GET", "/reports", cookie)[0] == 200, "a cookie opens the reports")
    parts = value.split(".")
    for place in range(len(parts)):
        bent = parts[:place] + [parts[place][:-1] + ("1" if parts[place][-1] != "1" else "2")] + parts[place + 1:]
        check(house.ask("GET", "/reports", f"{name}={'.'.join(bent)}")[0] == 401, "a changed cookie opens them too")
    operator = house.cookie(tokens["operator"])
    for role, path, opens in (
            (cookie, "/operator", False), (operator, "/operator", True), (operator, "/reports", False)):
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
                with open(path, "rb") as file:
                    check(file.read() == bytes_, link, "is not what was delivered")
            check("sandbox" in headers["content-security-policy"] and "no-store" in headers["cache-control"], headers)
            if not link.endswith(".html"):
                check(headers["content-disposition"].startswith("attachment"), headers)
            missing = house.ask("GET", f"/reports/{report}/{report}-1999-01-01.html", other)
            others = house.ask("GET", link, other)
            check(others[0] == 404 and others[2] == missing[2], "another's report is told from one that is not there")
            compare = f"/reports/{report}/compare?from=1999-01-01&to=1999-01-01"
            check(house.ask("GET", compare, other)[2] == missing[2], "and so is a comparison")
    compared(house, cookies["bank"])
    verified(house, cookies["bank"], folder)
    for path in ("/reports/bank_daily/..%2f..%2fdaemon.id", "/reports/bank_daily/%00", "/reports/' or 1=1/x"):
        check(house.ask("GET", urllib.parse.quote(path, safe="/%"), cookies["bank"])[0] in (400, 404), path)
    say("downloads are what was delivered")


def compared(house, cookie):
    """The earlier of two periods comes first, whatever the address says; a period is not compared with itself."""
    body = house.ask("GET", "/reports", cookie)[2].decode()
    later, earlier = re.findall(r'option value="([^"]+)"', body)[:2]
    pages = [house.ask("GET", f"/reports/bank_daily/compare?from={one}&to={other}", cookie)
             for one, other in ((earlier, later), (later, earlier))]
    check(pages[0][0] == 200 and pages[0][2] == pages[1][2], "the order of an address turns the signs")
    status, _, body = house.ask("GET", f"/reports/bank_daily/compare?from={later}&to={later}", cookie)
    check(status == 400 and b"Choose two different periods" in body, status, body)


def verified(house, cookie, folder):
    """A period's files, downloaded by a partner, are checked without the daemon; a changed byte is found."""
    body = house.ask("GET", "/reports", cookie)[2].decode()
    links = sorted(set(re.findall(r'href="(/reports/bank_daily/[^"]+)" download', body)))
    period = re.search(r"bank_daily-(\d+-\d+-\d+)", links[-1])[1]
    with tempfile.TemporaryDirectory(prefix="te-verify-", dir="/tmp") as out:
        for link in links:
            if period in link:
                with open(os.path.join(out, link.split("/")[-1]), "wb") as file:
                    file.write(house.ask("GET", link, cookie)[2])
        check(len(os.listdir(out)) == 5, "a period has", os.listdir(out))
        keys = os.path.join(folder, "signing", "keys.json")
        code, said, wrong = daemon.run("verify", out, "--key", keys)
        check(code == 0, "throng verify ended with", code, said, wrong)
        page = os.path.join(out, f"bank_daily-{period}.html")
        with open(page, "r+b") as file:
            file.seek(1000)
            byte = file.read(1)
            file.seek(1000)
            file.write(bytes([byte[0] ^ 1]))
        code, said, wrong = daemon.run("verify", out, "--key", keys)
        check(code == 1 and "html" in said + wrong, "a changed page is taken for good:", code, said, wrong)


def walk(house, tokens):
    """As people do it: read, compare, leave."""
    with Browser(language="en") as browser:
        browser.open(house.address + "/")
        pictures(browser, "sign-in")
        browser.driver.find_element(By.NAME, "token").send_keys("throng_00000000_nothing")
        browser.click(".door button")
        browser.until("return /not known/.test((document.querySelector('[role=alert]') || {}).textContent)")
        pictures(browser, "sign-in-refused")
        browser.driver.find_element(By.NAME, "token").send_keys(tokens["bank"])
        browser.click(".door button")
        browser.until("return location.pathname === '/reports'")
        check(browser.run("return document.cookie") == "", "a script can read the cookie")
        pictures(browser, "reports", ALL_LOOKS)
        if browser.run("return !!document.querySelector('.compare')"):
            browser.click(".compare button")
            browser.until("return location.pathname.endsWith('/compare') && document.readyState === 'complete'")
            pictures(browser, "comparison")
            browser.click(".back a")
            browser.until("return location.pathname === '/reports' && document.readyState === 'complete'")
        browser.click(".latest a")
        browser.until("return document.querySelectorAll('.tile').length > 3")
        browser.open(house.address + "/reports")
        browser.click(".who button")
        browser.until("return location.pathname === '/' && !!document.querySelector('#token')")
        browser.open(house.address + "/reports")
        check(browser.run("return !!document.querySelector('#token')"), "signed out and still in")
        browser.driver.find_element(By.NAME, "token").send_keys(tokens["operator"])
        browser.click(".door button")
        browser.until("return location.pathname === '/operator'")
        pictures(browser, "operator", ALL_LOOKS)
    say("people get around")


# Funnels whose first step is withheld, and with it all that is a part of it: each row but the last has a marker at its end.
WITHHELD = """
    const funnels = [...document.querySelectorAll('.scroll')].filter(each => /Of the step before/.test(each.textContent));
    for (const marked of funnels.map(each => [...each.querySelectorAll('tbody tr')]).flatMap(rows => rows.slice(1, -1)))
        marked.lastElementChild.innerHTML = '<span class="withheld-marker">withheld</span>';
    return funnels.map(each => [each.ariaLabel, each.scrollWidth - each.clientWidth])"""


def narrow(folder):
    """On a small screen, rankings and lists of one number are seen whole; wider tables scroll by themselves."""
    with Browser(language="en") as browser:
        browser.cdp("Emulation.setDeviceMetricsOverride", width=320, height=900, deviceScaleFactor=1, mobile=False)
        for partner in PARTNERS:
            reports = os.path.join(folder, "reports", partner)
            page = sorted(name for name in os.listdir(reports) if name.endswith(".html"))[-1]
            browser.open("file://" + os.path.join(reports, page))
            tables = browser.run("""
                return [...document.querySelectorAll('.evidence:not(.wide) .scroll')]
                    .filter(each => !/Change|Band/.test(each.textContent))
                    .map(each => [each.ariaLabel, each.scrollWidth - each.clientWidth])""")
            check(len(tables) > 2, page, "has few tables:", tables)
            check(all(over <= 0 for _, over in tables), page, "has tables that scroll sideways:", tables)
            withheld = browser.run(WITHHELD)
            check(all(over <= 0 for _, over in withheld), page, "has no room for withheld steps:", withheld)
    say("tables fit a small screen")


LOOKS = (("light", 1280, "screen", "light"), ("narrow", 320, "screen", "dark"))
ALL_LOOKS = (*LOOKS, ("dark", 1280, "screen", "dark"), ("print", 800, "print", "light"))


def pictures(browser, page, looks=LOOKS):
    for name, width, media, scheme in looks:
        look(browser, name, width, media, scheme, page)
    browser.cdp("Emulation.clearDeviceMetricsOverride")
    browser.cdp("Emulation.setEmulatedMedia", media="", features=[])


def revocation(house, tokens, cookies):
    listed = json.loads(house.command("token", "list", "--json"))
    check(sorted(each["role"] for each in listed) == ["operator", "partner", "partner"], listed)
    for name, token in tokens.items():
        check(all(token[16:] not in json.dumps(each) for each in listed), "the list shows a secret")
    digest = hashlib.sha256(tokens["bank"].encode()).hexdigest()
    check(digest not in json.dumps(listed), "or its hash")
    house.command("token", "revoke", tokens["bank"][7:15])
    check(house.ask("GET", "/reports", cookies["bank"])[0] == 401, "a token that was taken back still opens")
    check(house.sign_in(tokens["bank"])[0] == 403, "and lets in")
    check(house.ask("GET", "/reports", cookies["magazine"])[0] == 200, "another one does not open any more")
    say("tokens are taken back at once")


def reasons(house):
    """Operators are told of each number whether it is published, and that it is small where it is not."""
    [[day]] = house.sql("select max(period_start)::date from throng.release where metric = 'purchases' and period_kind = 1")
    published = dict(house.sql(
        "select os, withheld is null from analyst.shop_purchases where margin = 'os' and period_kind = 'day'"
        " and period_start = (select max(period_start) from analyst.shop_purchases where period_kind = 'day')"))
    check(set(published.values()) == {"t", "f"}, "some systems are published and some are not:", published)
    for system, is_published in published.items():
        text = house.command("release", "explain", "purchases", day, f"os={system}", "--plan", house.plan)
        check(("It is published" in text) == (is_published == "t"), system, "is explained by", text)
    say(f"operators are told why {list(published.values()).count('f')} of {len(published)} systems have no number")


def leaving(house, tokens):
    """Who signs out is out, whoever kept the cookie; other sessions of the same token live on, also through a restart."""
    cookies = [house.cookie(tokens["operator"]) for _ in range(3)]
    status, headers, _ = house.ask("POST", "/sign-out", cookies[1], body="", sec_fetch_site="same-origin")
    check(status == 303 and "Max-Age=0" in headers["set-cookie"], "signing out is answered with", status, headers)
    found = [house.ask("GET", "/operator", cookie)[0] for cookie in cookies]
    check(found == [200, 401, 200], "after one of three signed out they get", found)
    status, _, _ = house.ask("POST", "/sign-out", cookies[2], body="", sec_fetch_site="cross-site")
    check(status == 403 and house.ask("GET", "/operator", cookies[2])[0] == 200, "another site can sign people out")
    check(house.stop() == 0, "SIGTERM ended with", house.process.returncode)
    house.start()
    found = [house.ask("GET", "/operator", cookie)[0] for cookie in cookies]
    check(found == [200, 401, 200], "after a restart they get", found)
    say("who signs out is out")


def sessions(house, tokens):
    """People see their own sign-ins, end one or all others, and nobody else's; another site ends none."""
    mine, other = [house.cookie(tokens["operator"]) for _ in range(3)], house.cookie(tokens["magazine"])

    def listed(cookie):
        status, _, body = house.ask("GET", "/sessions", cookie)
        check(status == 200, "the page of sign-ins is answered with", status)
        return re.findall(r'name="end" value="([0-9a-f]{64})"', body.decode())

    def end(value, cookie, site="same-origin"):
        return house.ask("POST", "/sessions", cookie, f"end={value}", sec_fetch_site=site)[0]

    check(house.ask("GET", "/sessions")[0] == 401, "without a cookie sign-ins are shown")
    before, foreign = listed(mine[0]), listed(other)
    page = house.ask("GET", "/sessions", mine[0])[2].decode()
    check(len(before) >= 3 and not set(before) & set(foreign), "the page lists", before, "and another's", foreign)
    check("127.0.0" not in page and page.count("(this browser)") == 1, "the page says from where, or not which one this is")
    check(all(cookie.split("=")[1] not in page for cookie in mine), "the page has a cookie")
    own = [hashlib.sha256(cookie.split("=")[1].encode()).hexdigest() for cookie in mine]
    check(end(own[1], mine[0], "cross-site") == 403 and end(own[1], other) == 303, "another's form")
    check([house.ask("GET", "/operator", cookie)[0] for cookie in mine] == [200] * 3, "others end somebody's sign-ins")
    check(end(own[1], mine[0]) == 303 and end("nonsense", mine[0]) == 303, "a sign-in can't be ended")
    check([house.ask("GET", "/operator", cookie)[0] for cookie in mine] == [200, 401, 200], "another one was ended")
    check(end("others", mine[0]) == 303, "others can't be ended")
    check([house.ask("GET", "/operator", cookie)[0] for cookie in mine] == [200, 401, 401], "not all others were ended")
    check(house.ask("GET", "/reports", other)[0] == 200, "another token's were ended")
    check(end(own[0], mine[0]) == 303 and house.ask("GET", "/operator", mine[0])[0] == 401, "the own one can't be ended")
    say("people see and end their own sign-ins")


def test():
    folder = tempfile.mkdtemp(prefix="te-portal-", dir="/tmp")
    os.chmod(folder, 0o755)
    data = os.path.join(folder, "demo")
    demonstrate(data, days=3)
    house = House(data).start()
    tokens = {name: house.token("--partner", name, "--note", "a test") for name in PARTNERS}
    tokens["operator"] = house.token("--operator")
    doors(house, tokens)
    cookies = {name: house.cookie(tokens[name]) for name in PARTNERS}
    files(house, cookies, data)
    walk(house, tokens)
    narrow(data)
    reasons(house)
    revocation(house, tokens, cookies)
    leaving(house, tokens)
    sessions(house, tokens)
    check(house.stop() == 0, "SIGTERM ended with", house.process.returncode)
    house.clean()
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    daemon.main(test)
