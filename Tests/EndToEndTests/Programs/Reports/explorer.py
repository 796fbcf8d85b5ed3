"""An analyst signs in, in Chromium, and sees the numbers that SQL gives her, and no more.

Every page that can be reached by links is compared with what its own SQL answers in psql as throng_analyst, row by row,
and so is its CSV; withheld cells are compared with one another. One plan has titles and buckets that would like to be run.
THRONG_TEST_SCREENSHOTS names a folder that keeps pictures of the pages.
"""

import json
import os
import shutil
import subprocess
import tempfile
import threading
import time
import urllib.parse

import daemon
from browser import Browser
from daemon import SAMPLE, check, say, until
from explored import Explored, compare, crawl, enter
from portal import ALL_LOOKS, demonstrate, pictures

K = 5
ROTATION = daemon.rotation_with_time_left([86400, 23 * 3600, 22 * 3600])
SCRIPT = "<script>document.title='owned'</script>"
# Buckets that a plan lets through, in its order.
PLAIN = ["<b>bold</b>", "a = cmd(x)", "it is so", "{a} [b] $1", "Ümläut × 日本", "%00%27&amp"]
# And those of a copy of its releases, as whoever could write to the database might have them.
SYSTEMS = [SCRIPT, "=cmd('x')", "it's \"so\" \\ E'\\\\", "'; drop schema analyst cascade; --", "tab\tand\nline\u202e", "$1"]
ROOMS = ["hall", "cellar", "attic"]
PLAN = json.dumps({
    "app": {"name": "salon", "title": f"Salon {SCRIPT}", "owner": "Tests", "contact": "tests@example.com", "audience": 100,
            "threshold": K},
    "purposes": {"product": {"explanation": "To see what is used.", "consent": "not_required",
                             "rotation": daemon.duration(ROTATION), "retention": "30 days"}},
    "dimensions": {
        "system": {"title": "\"><img src=x onerror=\"document.title='owned'\">", "field": "system", "partitions": "devices",
                   "list": {label: [str(place)] for place, label in enumerate(PLAIN)}},
        "room": {"title": "=1+1", "field": "room", "list": ROOMS}},
    "metrics": {"visits": {
        "title": f"'{SCRIPT}\"", "events": ["visit"], "question": f"Who's {SCRIPT}?", "decision": "None.", "owner": "Tests",
        "expires": time.strftime("%Y-%m-%d", time.gmtime(time.time() + 200 * 86400)), "purpose": "product",
        "dimensions": ["system", "room"], "period": "hour", "contribution_bound": 100, "margins": [["system"], ["room"], ["system", "room"]],
        "impossible": [{"system": PLAIN[5], "room": "attic"}],
        "measures": {"reach": True, "sums": {"spent": {"field": "amount", "from": 0, "to": 1000, "decimals": 2,
                                                       "unit": "EUR"}}}}}})
# Devices by system and room in each of three hours; 2 in the cellar is small, and so is all of 3 in the second one.
CROWD = {(0, "hall"): 40, (0, "cellar"): 25, (0, "attic"): 15, (1, "hall"): 30, (1, "cellar"): 20, (2, "hall"): 20,
         (2, "cellar"): 2, (3, "hall"): 9, (4, "hall"): 12}
# The last three that are over.
HOURS = [daemon.hour_with_time_left() - back * 3600 for back in (3, 2, 1)]


def salon():
    """A daemon whose every text would like to be run, with three released hours."""
    house = Explored(PLAN, "salon").start()
    for hour in HOURS:
        for (system, room), count in CROWD.items():
            for place in range(2 if hour == HOURS[1] and system == 3 else count):
                status, _, body = house.post(json.dumps({
                    "app": "salon", "batch": os.urandom(16).hex(), "purpose": "product",
                    "window": int(time.time()) // ROTATION, "id": f"device {system} {room} {place}",
                    "context": {"system": str(system), "room": room},
                    "events": [{"event": "visit", "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(hour + 1800)),
                                "fields": {"amount": 2.5}}]}))
                check(status == 202 and json.loads(body)["accepted"] == 1, "a visit was answered with", status, body)
    house.drain()
    code, _, talk = daemon.run("release", "--ignore-grace", "--plan", house.plan, "--data", house.data)
    check(code == 0, "throng release ended with", code, talk)
    copy(house)
    return house


def copy(house):
    """The metric hostile: the releases of visits with buckets that no plan has."""
    [[text]] = house.sql("select layout from throng.metric_layout")
    layout = json.loads(text)
    layout["metric"] = "hostile"
    layout["dimensions"][0]["labels"] = SYSTEMS + ["other"]
    for part in layout["impossible"][0]["parts"]:
        part["bucket"] = part["bucket"].replace(PLAIN[5], SYSTEMS[5])
    tag = "$anything$"
    house.sql(f"select throng.register_layout({tag}{json.dumps(layout, sort_keys=True)}{tag}, true)")
    for identity, header in house.sql("select release_id, header from throng.release order by 1"):
        header = json.loads(header)
        header["layout"] = layout
        house.sql(f"""
            with made as (
                insert into throng.release
                    (metric_id, app, metric, period_kind, period_start, period_end, threshold, plan, header, digest)
                select l.metric_id, 'salon', 'hostile', r.period_kind, r.period_start, r.period_end, r.threshold, r.plan,
                    {tag}{json.dumps(header)}{tag}, r.digest
                from throng.release as r, throng.metric_layout as l
                where r.release_id = {identity} and l.metric = 'hostile'
                returning release_id
            )
            insert into throng.released_cell (
                release_id, margin, cell, buckets, count, sums, reach, firsts, count_margin, sum_margins, reach_margin)
            select made.release_id, margin, cell, buckets, count, sums, reach, firsts, count_margin, sum_margins, reach_margin
            from throng.released_cell as c, made where c.release_id = {identity}""")


def order(house, cookie):
    """Rows stand in the plan's order, whatever is withheld of them."""
    labels = SYSTEMS + ["other"]
    base = "/explore?app=salon&metric=hostile"
    starts = [time.strftime("%Y-%m-%dT%H:00", time.gmtime(hour)) for hour in HOURS]
    span = f"&from={starts[0]}&to={starts[2]}"
    _, rows = compare(house, cookie, base + "&margin=system" + span)
    check([row[1] for row in rows] == labels * 3, "rows stand as", [row[1] for row in rows])
    _, rows = compare(house, cookie, base + "&margin=system,%20room&measure=spent" + span)
    check([row[1:3] for row in rows] == [[s, r] for s in labels for r in ROOMS + ["other"]] * 3, "rows stand in order")
    check(any(row[-1] == "cannot occur" for row in rows), "what cannot occur says so")
    _, rows = compare(house, cookie, base + "&margin=(total)" + span)
    check([row[1] for row in rows] == ["173", "166", "173"], "three hours are", rows)
    for label in SYSTEMS:
        for margin in ("system", "system, room"):
            address = base + span + "&" + urllib.parse.urlencode({"margin": margin, "at.system": label})
            _, rows = compare(house, cookie, address)
            check(len(rows) == (3 if margin == "system" else 12) and {row[1] for row in rows} == {label}, label, rows)
    say("rows stand in the plan's order; every bucket can be asked for")


def attacks(house, cookie):
    """No address gets anything into SQL or the page."""
    good = {"app": "salon", "metric": "hostile", "margin": "system", "measure": "events"}
    evil = ["'; drop schema analyst cascade; --", '"; select 1; --', SCRIPT, "events, (select 1)", "throng.counter", "*",
            "\\", "E'\\''", "$1", "events\u0000", "(select pg_sleep(60))", "x" * 5000, "withheld", "period_start", "1e999"]
    tried = 0
    for name in ["app", "metric", "layout", "kind", "margin", "measure", "from", "to", "at.system", "at.room", "at.'--", "part", "new"]:
        for text in evil:
            if name == "at.system" and text in SYSTEMS:
                continue
            status, headers, body = house.ask(
                "GET", "/explore?" + urllib.parse.urlencode({**good, name: text}), cookie)
            check(status in (400, 404), name, repr(text), "is answered with", status)
            check(b"<script>document" not in body and b"pg_sleep" not in body, "an address is shown:", body)
            tried += 1
    for raw in ("app=salon&app=salon", "app=%zz", "app=%ff", "&".join(f"a{i}=1" for i in range(100)), "app", "=&=", "app=salon"):
        check(house.ask("GET", "/explore?" + raw, cookie)[0] in (400, 404), raw)
        check(house.ask("GET", "/explore.csv?" + raw, cookie)[0] in (400, 404), raw)
    backwards = f"&kind=hour&from={time.strftime('%Y-%m-%dT%H:00', time.gmtime(HOURS[2]))}" \
                f"&to={time.strftime('%Y-%m-%dT%H:00', time.gmtime(HOURS[0]))}"
    check(house.ask("GET", "/explore?app=salon&metric=visits" + backwards, cookie)[0] == 400, "time runs backwards")
    body = house.ask("GET", "/explore?" + urllib.parse.urlencode({**good, "measure": "x"}), cookie)[2].decode()
    check(all(name in body for name in ("events", "spent", "devices")), "what is allowed is not said:", body)
    check(house.sql("select count(*) from analyst.salon_visits")[0][0] != "0", "the schema is still there")
    say(f"{tried} addresses with something else than names of the catalogue get 400 or 404")


def role(house, cookie):
    """It is the role's right and not the daemon's, and slow questions hold up nobody else."""
    address = "/explore?app=salon&metric=visits"
    house.sql("revoke select on analyst.salon_visits from throng_analyst")
    status, _, body = house.ask("GET", address, cookie)
    check(status == 503 and b"grant" in body, "without the role's right the page answers", status)
    house.sql("grant select on analyst.salon_visits to throng_analyst")
    check(house.ask("GET", address, cookie)[0] == 200, "and with it again")
    check(house.sql("select count(*) from pg_stat_activity where application_name = 'throng explorer'")[0][0] in "123",
          "it has a few connections of its own")
    holder = subprocess.Popen(
        ["psql", "-X", "-q", "-h", house.data + "/postgres", "-U", "postgres", "-d", "throng", "-c",
         "begin", "-c", "lock table throng.released_cell in access exclusive mode", "-c", "select pg_sleep(600)"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    held = "select pid from pg_locks where mode = 'AccessExclusiveLock' and granted and relation = 'throng.released_cell'::regclass"
    until(lambda: house.sql(held), "the numbers are not held")
    busy, slow, others = [], [], []

    def ask():
        began = time.monotonic()
        status, _, body = house.ask("GET", address, cookie)
        kinds = {b"Too many questions at once": busy, b"This takes too long": slow}
        kind = next((kind for words, kind in kinds.items() if status == 503 and words in body), others)
        kind.append((status, time.monotonic() - began))

    threads = [threading.Thread(target=ask) for _ in range(20)]
    for thread in threads:
        thread.start()
    hanging = "select 1 from pg_stat_activity where application_name = 'throng explorer' and wait_event_type = 'Lock'"
    until(lambda: len(house.sql(hanging)) == 3, "questions do not hang on each connection")
    # Behind the questions of one connection it would be 5 s for each of them: what holds them is let go only afterwards.
    began = time.monotonic()
    check(house.ask("GET", "/", cookie)[0] == 303 and house.get("/readyz")[0] == 200, "the others are answered")
    waited = time.monotonic() - began
    check(waited < 4, "while questions hang, others wait", waited, "s")
    until(lambda: slow, "hanging questions do not end")
    house.sql(f"select pg_terminate_backend(pid) from ({held}) as held")
    for thread in threads:
        thread.join()
    holder.wait(60)
    answers = [sorted(each) for each in (busy, slow, others)]
    first = min(seconds for _, seconds in slow)
    check(4 < first < 30, "a hanging question ends after 5 s:", answers)
    quick = sum(seconds < first / 2 for _, seconds in busy)
    check(quick >= 8, "too many questions at once are turned away at once:", answers)
    check({status for status, _ in others} <= {200}, "once nothing holds them up, the others are answered:", answers)
    check(house.ask("GET", address, cookie)[0] == 200, "and it goes on afterwards")
    say(f"it is the role that reads; of 20 questions that hang {quick} are turned away at once, the first end after"
        f" {first:.1f} s, others wait {waited * 1000:.0f} ms")


def harmless(house, token):
    """In Chromium, none of the plan's texts is run; the copied SQL is the one that is shown."""
    with Browser(language="en") as browser:
        enter(browser, house, token)
        for path in ("/explore", "/explore?app=salon&metric=visits", "/explore?app=salon&metric=hostile&margin=system",
                     "/explore?app=salon&metric=hostile&margin=system,%20room",
                     "/explore?app=salon&metric=hostile&margin=system&from="
                     + time.strftime("%Y-%m-%dT%H:00", time.gmtime(HOURS[0]))):
            browser.open(house.address + path)
            check(browser.run("return document.title") not in ("", "owned"), "a text of the plan was run")
            check(browser.run("return document.querySelectorAll('script, img').length") == ("?" in path), "or became an element")
            check(SCRIPT in browser.run("return document.body.textContent"), "the text itself is there at", path)
        browser.cdp("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
        browser.click("[data-copy]")
        browser.until("return document.querySelector('[data-copy]').textContent === 'Copied'")
        copied = browser.run("return navigator.clipboard.readText()")
        check(copied == browser.run("return document.querySelector('#sql').textContent"), "copied was", copied)
        head, rows = house.paste(copied)
        check(len(rows) == 3 * (len(SYSTEMS) + 1), "copied SQL gives", len(rows), "rows")
        # As people choose: two selects and a button.
        choose(browser, "at.system", SCRIPT)
        browser.click(".chooser button")
        browser.until("return new URL(location).searchParams.has('at.system') && document.readyState === 'complete'")
        check(browser.run("return document.querySelectorAll('#numbers tbody tr').length") == 3, "one bucket in three hours")
        browser.quiet()
    say("texts of the plan are texts; what is copied is what is shown")


def choose(browser, name, value):
    browser.run("[...document.querySelectorAll('select')].find(each => each.name === arguments[0]).value = arguments[1]",
                name, value)


def doors(house, tokens):
    """An analyst's token opens analysts' pages, and only that does."""
    cookies = {name: house.cookie(token) for name, token in tokens.items()}
    for path in ("/explore", "/explore.csv", "/explore?app=shop&metric=purchases"):
        for who, cookie, expected in (
                ("nobody", None, 401), ("a partner", cookies["bank"], 403), ("an operator", cookies["operator"], 403)):
            status, headers, body = house.ask("GET", path, cookie)
            check(status == expected, who, "at", path, "gets", status)
            check(b"purchases" not in body and b"Purchases" not in body, who, "sees a metric at", path)
    check(house.ask("GET", "/explore", cookies["analyst"])[0] == 200, "an analyst gets in")
    for path in ("/reports", "/operator", "/reports/bank_daily/x.html"):
        check(house.ask("GET", path, cookies["analyst"])[0] == 401, "an analyst gets in at", path)
    for path in ("/explore", "/explore?app=shop&metric=purchases"):
        policy = house.ask("GET", path, cookies["analyst"])[1]["content-security-policy"]
        check("default-src 'none'" in policy and "unsafe" not in policy, policy)
        check(("script-src 'self'" in policy) == ("?" in path), policy)
    listed = json.loads(house.command("token", "list", "--json"))
    check(sorted(each["role"] for each in listed) == ["analyst", "operator", "partner"], listed)
    say("only an analyst's token opens analysts' pages, and no others")
    return cookies["analyst"]


def walk(house, token):
    """As an analyst does it, with pictures."""
    with Browser(language="en") as browser:
        enter(browser, house, token)
        pictures(browser, "explore")
        browser.run("[...document.querySelectorAll('.catalogue a')].find(each => each.textContent === 'Purchases').click()")
        browser.until("return !!document.querySelector('#numbers') && document.readyState === 'complete'")
        pictures(browser, "explore-bars", ALL_LOOKS)
        days = browser.run("return [...document.querySelector('[name=from]').options].map(each => each.value)")
        check(len(days) == 8, "released days are", days)
        choose(browser, "from", days[-1])
        browser.click(".chooser button")
        browser.until("return document.querySelectorAll('svg.lines').length > 2 && document.readyState === 'complete'")
        pictures(browser, "explore-lines")
        for page, query, selector in (
                ("number", "metric=purchases&margin=(total)&measure=revenue", ".stat .value"),
                ("trend", f"metric=purchases&margin=(total)&measure=revenue&from={days[-1]}", "svg.lines"),
                ("heat", "metric=product_views&margin=os,%20channel", "table.heat .withheld"),
                ("reach", "metric=product_views&margin=os&measure=devices", "svg.bars"),
                ("problem", "metric=purchases&margin=nothing", ".allowed")):
            browser.open(f"{house.address}/explore?app=shop&{query}")
            check(browser.run(f"return !!document.querySelector('{selector}')"), page, "lacks", selector)
            pictures(browser, f"explore-{page}")
    say("pages are wide, narrow, dark and printed, and axe finds nothing")


def test():
    house = salon()
    cookie = house.cookie(house.token("--analyst"))
    crawl(house, cookie, least=13)
    order(house, cookie)
    attacks(house, cookie)
    harmless(house, house.token("--analyst"))
    role(house, cookie)
    check(house.stop() == 0, "SIGTERM ended with", house.process.returncode)
    house.clean()

    folder = tempfile.mkdtemp(prefix="te-explorer-", dir="/tmp")
    os.chmod(folder, 0o755)
    data = os.path.join(folder, "demo")
    demonstrate(data)
    with open(os.path.join(SAMPLE, "shop.yaml")) as file:
        house = Explored(file.read(), "shop", data).start()
    tokens = {"bank": house.token("--partner", "bank"), "operator": house.token("--operator"),
              "analyst": house.token("--analyst", "--note", "a test")}
    cookie = doors(house, tokens)
    # More rows than a page shows are in the CSV and in what SQL gives.
    many = "/explore?app=shop&metric=pages&margin=page,%20device,%20screen&from="
    first = house.sql("select min(period_start)::date from analyst.releases")[0][0]
    check("this table has 1 to 1,000 of them" in house.ask("GET", many + first, cookie)[2].decode(), "the table says where it ends")
    check(len(compare(house, cookie, many + first)[1]) > 1000, "so many rows")
    crawl(house, cookie, least=40)
    walk(house, tokens["analyst"])
    check(house.stop() == 0, "SIGTERM ended with", house.process.returncode)
    house.clean()
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    daemon.main(test)
