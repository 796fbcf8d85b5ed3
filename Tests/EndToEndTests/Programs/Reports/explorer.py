"""An analyst signs in, in Chromium, and sees the numbers that SQL gives her, and no more.

Every page that can be reached by links is compared with what its own SQL answers in psql as throng_analyst, row by row, and so are its CSV and JSON;
withheld cells are compared with one another. The plan has titles and buckets that would like to be run. What other addresses are answered
is ExplorerChoiceTests' and AddressQueryTests'."""

import concurrent.futures
import json
import os
import subprocess
import time
import urllib.parse

import daemon
from browser import Browser
from daemon import check, say, until
from explored import compare, crawl
from paged_house import PagedHouse, choose, enter

K = 5
ROTATION = daemon.rotation_with_time_left([86400, 23 * 3600, 22 * 3600])
SCRIPT = "<script>document.title='owned'</script>"
# Buckets that a plan lets through, in its order.
PLAIN = ["<b>bold</b>", "a = cmd(x)", "it is so", "{a} [b] $1", "Ümläut × 日本", "%00%27&amp"]
# And those of a copy of its releases, as whoever could write to the database might have them.
SYSTEMS = [SCRIPT, "=cmd('x')", "it's \"so\" \\ E'\\\\", "'; drop schema analyst cascade; --", "tab\tand\nline\u202e", "$1"]
ROOMS = ["hall", "cellar", "attic"]
PLAN = json.dumps({
    "app": {"name": "salon", "title": f"Salon {SCRIPT}", "owner": "Tests", "contact": "tests@example.com", "audience": 100, "threshold": K},
    "purposes": {"product": {"explanation": "To see what is used.", "consent": "not_required",
                             "rotation": daemon.duration(ROTATION), "retention": "30 days"}},
    "dimensions": {
        "system": {"title": "\"><img src=x onerror=\"document.title='owned'\">", "field": "system", "partitions": "devices",
                   "list": {label: [str(place)] for place, label in enumerate(PLAIN)}},
        "room": {"title": "=1+1", "field": "room", "list": ROOMS}},
    "metrics": {"visits": {
        "title": f"'{SCRIPT}\"", "events": ["visit"], "question": f"Who's {SCRIPT}?", "decision": "None.", "owner": "Tests",
        "expires": daemon.expiry(), "purpose": "product",
        "dimensions": ["system", "room"], "period": "hour", "contribution_bound": 100, "margins": [["system"], ["room"], ["system", "room"]],
        "impossible": [{"system": PLAIN[5], "room": "attic"}],
        "measures": {"reach": True, "sums": {"spent": {"field": "amount", "from": 0, "to": 1000, "decimals": 2, "unit": "EUR"}}}}}})
# Devices by system and room in each of three hours; 2 in the cellar is small, and so is all of 3 in the second one.
CROWD = {(0, "hall"): 40, (0, "cellar"): 25, (0, "attic"): 15, (1, "hall"): 30, (1, "cellar"): 20, (2, "hall"): 20,
         (2, "cellar"): 2, (3, "hall"): 9, (4, "hall"): 12}
# The last three that are over.
HOURS = [daemon.hour_with_time_left() - back * 3600 for back in (3, 2, 1)]


def salon():
    """A daemon whose every text would like to be run, with three released hours."""
    house = PagedHouse(plan=PLAN, name="salon").start()
    for hour in HOURS:
        for (system, room), count in CROWD.items():
            for place in range(2 if hour == HOURS[1] and system == 3 else count):
                house.take({
                    "app": "salon", "batch": os.urandom(16).hex(), "purpose": "product",
                    "window": int(time.time()) // ROTATION, "id": f"device {system} {room} {place}",
                    "context": {"system": str(system), "room": room},
                    "events": [{"event": "visit", "at": daemon.instant(hour + 1800),
                                "fields": {"amount": 2.5}}]})
    house.drain()
    house.release()
    copy(house)
    return house


def copy(house):
    """The metric hostile: the releases of visits with buckets that no plan has."""
    [[text]] = house.sql("select layout from throng.metric_layout")
    layout = {**json.loads(text), "metric": "hostile"}
    layout["dimensions"][0]["labels"] = SYSTEMS + ["other"]
    for part in layout["impossible"][0]["parts"]:
        part["bucket"] = part["bucket"].replace(PLAIN[5], SYSTEMS[5])
    tag = "$anything$"
    house.sql(f"select throng.register_layout({tag}{json.dumps(layout, sort_keys=True)}{tag}, true)")
    for identity, header in house.sql("select release_id, header from throng.release order by 1"):
        header = {**json.loads(header), "layout": layout}
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
    _, rows = compare(house, cookie, base + "&grouping=system" + span)
    check([row["system"] for row in rows] == labels * 3, "rows stand as", [row["system"] for row in rows])
    _, rows = compare(house, cookie, base + "&grouping=system,%20room&measure=spent" + span)
    check([[row["system"], row["room"]] for row in rows] == [[s, r] for s in labels for r in ROOMS + ["other"]] * 3, "rows stand in order")
    check(any(row["withheld"] == "cannot occur" for row in rows), "what cannot occur says so")
    _, rows = compare(house, cookie, base + "&grouping=(total)" + span)
    check([row["events"] for row in rows] == ["173", "166", "173"], "three hours are", rows)
    for label in SYSTEMS:
        for margin in ("system", "system, room"):
            address = base + span + "&" + urllib.parse.urlencode({"grouping": margin, "at.system": label})
            _, rows = compare(house, cookie, address)
            check(len(rows) == (3 if margin == "system" else 12) and {row["system"] for row in rows} == {label}, label, rows)
    _, rows = compare(house, cookie, base + "&grouping=system&sort=events" + span)
    told = [int(row["events"]) for row in rows if row["events"]]
    check(told == sorted(told, reverse=True) and not any(row["events"] for row in rows[len(told):]), "rows by their events are", rows)
    say("rows stand in the plan's order, or in that of a number; every bucket can be asked for")


def attacks(house, cookie):
    """No address gets anything into SQL or the page."""
    good = {"app": "salon", "metric": "hostile", "grouping": "system", "measure": "events"}
    evil = ["'; drop schema analyst cascade; --", SCRIPT, "events, (select 1)", "throng.counter", "events\u0000", "(select pg_sleep(60))"]
    for name in ["app", "metric", "layout", "kind", "grouping", "measure", "from", "to", "last", "sort", "over", "at.system", "at.room", "at.'--", "part", "new"]:
        for text in evil:
            if name == "at.system" and text in SYSTEMS:
                continue
            status, _, body = house.ask("GET", "/explore?" + urllib.parse.urlencode({**good, name: text}), cookie)
            check(status in (400, 404), name, repr(text), "is answered with", status)
            check(b"<script>document" not in body and b"pg_sleep" not in body, "an address is shown:", body)
    check(house.sql("select count(*) from analyst.salon_visits")[0][0] != "0", "the schema is still there")
    say("addresses with something else than names of the catalogue get 400 or 404")


def role(house, cookie):
    """It is the role's right and not the daemon's, and slow questions hold up nobody else."""
    address = "/explore?app=salon&metric=visits"
    views = ", ".join(row[0] for row in house.sql("select 'analyst.' || quote_ident(relname) from pg_class where relname like 'salon_visits%' and relkind = 'v'"))
    house.sql(f"revoke select on {views} from throng_analyst")
    status, _, body = house.ask("GET", address, cookie)
    check(status == 503 and b"grant" in body, "without the role's right the page answers", status)
    house.sql(f"grant select on {views} to throng_analyst")
    check(house.ask("GET", address, cookie)[0] == 200, "and with it again")
    check(house.sql("select count(*) from pg_stat_activity where application_name = 'throng explorer'")[0][0] in "123",
          "it has a few connections of its own")
    holder = subprocess.Popen(["psql", "-X", "-q", "-h", house.data + "/postgres", "-U", "postgres", "-d", "throng", "-c",
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

    pool = concurrent.futures.ThreadPoolExecutor(20)
    for _ in range(20):
        pool.submit(ask)
    hanging = "select 1 from pg_stat_activity where application_name = 'throng explorer' and wait_event_type = 'Lock'"
    until(lambda: len(house.sql(hanging)) == 3, "questions do not hang on each connection")
    # Behind the questions of one connection it would be 5 s for each of them: what holds them is let go only afterwards.
    began = time.monotonic()
    check(house.ask("GET", "/", cookie)[0] == 303 and house.get("/readyz")[0] == 200, "the others are answered")
    waited = time.monotonic() - began
    check(waited < 4, "while questions hang, others wait", waited, "s")
    until(lambda: slow, "hanging questions do not end")
    house.sql(f"select pg_terminate_backend(pid) from ({held}) as held")
    pool.shutdown()
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
        enter(browser, house, token, "/explore")
        for path in ("/explore", "/explore?app=salon&metric=visits", "/explore?app=salon&metric=hostile&grouping=system",
                     "/explore?app=salon&metric=hostile&grouping=system,%20room",
                     "/explore?app=salon&metric=hostile&grouping=system&from=" + time.strftime("%Y-%m-%dT%H:00", time.gmtime(HOURS[0]))):
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
        browser.until("return new URL(location).searchParams.has('at.system') && document.readyState === 'complete'")
        check(browser.run("return document.querySelectorAll('#numbers tbody tr').length") == 3, "one bucket in three hours")
        browser.quiet()
    say("texts of the plan are texts; what is copied is what is shown")


def test():
    house = salon()
    cookie = house.cookie(house.token("--analyst"))
    crawl(house, cookie, least=13)
    order(house, cookie)
    attacks(house, cookie)
    harmless(house, house.token("--analyst"))
    role(house, cookie)
    check(house.stop() == 0, "SIGTERM ended with", house.process.returncode)
