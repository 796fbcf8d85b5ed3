"""Visits to the sample shop: what a person does there, and what comes between a page and the daemon."""

import json
import time

from browser import By
from daemon import check, until
from ledger import screen_of


def walk(browser, site, ledger):
    """A visit that came from a listed site: pages, clicks, a search, an order."""
    browser.tab().open(site.url("/", "search.example")).click("[id='0']").ready()
    screen = screen_of(browser)
    ledger.view("/", screen)
    ledger.holds("a page view is counted, and nothing of the purpose that asks first")
    browser.click("[href='/lamp/arc']").click("[data-page='/lamp/arc'] button")
    # Twice at once: on a busy machine a batch may leave between two clicks that are made one after the other.
    browser.run("const button = document.querySelector(\"[data-page='/lamp/arc'] button\"); button.click(); button.click()")
    ledger.view("/lamp/:name", screen)
    ledger.add("baskets", "Floor", times=3)
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
    browser.answered("map(batch => batch.body).join().includes('order')")
    ledger.holds("a walk through the shop is counted exactly")

    batches = browser.sent()
    text = json.dumps(batches)
    check(all(batch["purpose"] == "product" for batch in batches), "only what needs no consent was sent")
    for word in ("SECRET", "/lamp/arc", "http", "8078", "?", "teleport", str(site.port)):
        check(word not in text, "a batch holds", word, text)
    check(all(event["at"][14:] in ("00:00Z", "15:00Z", "30:00Z", "45:00Z") for batch in batches
              for event in batch["events"]), "times are quarters of an hour:", text)
    check(any(event["fields"] == {"kind": "Floor"} and event["count"] >= 2 for batch in batches for event in batch["events"]),
          "what happens twice is a number, not two events:", text)
    check(len({batch["id"] for batch in batches}) == 1, "one identifier a window")
    check(len({batch["batch"] for batch in batches}) == len(batches), "every batch has a name of its own")
    kept = browser.run("return [document.cookie, localStorage.length, Object.keys(sessionStorage)]")
    check(kept == ["", 0, ["throng webshop product"]], "kept in the browser:", kept)
    answers = browser.run("const done = arguments[0]; return throng.preview('order', {amount: 5000, kind: 'x'})")
    check(answers["product"]["events"][0]["counted"][0]["sums"] == {"revenue": 2000}, "the preview is clipped:", answers)
    ledger.holds("a preview counts nothing")
    browser.quiet()


def consent(browser, site, ledger):
    browser.tab().open(site.url("/", "search.example")).click("[id='1']").ready()
    screen, visit = screen_of(browser), ("search.example", "de")
    ledger.view("/lamp/:name", screen)
    ledger.holds("nothing is sent before consent")
    browser.run("throng.consent('marketing', true); throng.consent('marketing', 1); throng.flush()")
    browser.settled()
    check(len(browser.sent()) == 1, "who agreed to an earlier version is counted")
    ledger.holds("nothing is sent of who agreed to an earlier version than the plan's")
    browser.click("#agree")
    browser.answered("length > 1")
    ledger.add("visits", *visit)
    ledger.holds("the page that is open when somebody agrees is seen")
    first = browser.sent()
    check(first[0]["id"] != first[1]["id"], "purposes have identifiers of their own")
    check([batch["consent_version"] for batch in first] == [1, 2], "batches say what was agreed to:", first)

    def reloaded(page):
        """A reloaded page keeps its referrer."""
        browser.driver.refresh()
        browser.ready()
        ledger.view(page, screen, visit=visit)
        browser.answered("length > 1")

    reloaded("/lamp/:name")
    ledger.holds("a reload is another view")
    again = browser.sent()
    check({batch["id"] for batch in first} == {batch["id"] for batch in again}, "of the same device")

    browser.run("document.querySelector('#question').hidden = false")
    browser.click("[href='/cart']")
    browser.click("#decline")
    browser.answered("length == 4")
    ledger.view("/cart", screen)
    ledger.add("visits", *visit, times=-2)
    ledger.holds("what waits is dropped when consent is withdrawn, and what was counted is taken back")
    taken = [json.loads(each["body"]) for each in browser.run("return throng.sent.filter(each => each.answer.receipt)")]
    check([(each["purpose"], each["id"]) for each in taken] == [("marketing", first[1]["id"])], "taken back is", taken)
    check(browser.run("return Object.keys(sessionStorage)") == ["throng webshop product"], "and so is the identifier")
    browser.run("document.querySelector('#question').hidden = false")
    browser.click("#agree")
    browser.answered("length == 5")
    ledger.add("visits", *visit)
    ledger.holds("whoever agrees again is seen from then on, without what waited before")
    check(browser.sent()[4]["id"] != first[1]["id"], "as somebody else, and the first is gone")
    browser.run("sessionStorage['throng webshop product'] = '1 " + "0" * 32 + "'")
    reloaded("/cart")
    check("0" * 32 not in json.dumps(browser.sent()), "an identifier outlives its window")
    ledger.holds("a window that is over leaves nothing to the next")
    last = {batch["id"] for batch in browser.sent()}
    browser.run("throng.reset()")
    browser.answered("length == 2")
    taken = browser.sent()
    check({each["id"] for each in taken} == last and not any("events" in each for each in taken), "a reset takes back", taken)
    check(browser.run("return Object.keys(sessionStorage)") == [], "a reset forgets")
    ledger.view("/cart", screen, visit=visit, times=-1)
    ledger.add("visits", *visit, times=-1)
    ledger.holds("a reset takes back what was counted")
    reloaded("/cart")
    check(not last & {batch["id"] for batch in browser.sent()}, "after a reset it is another device")
    ledger.holds("a reset forgets identifiers")
    # Other tests' tabs are other people's.
    browser.run("localStorage.clear()")
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
    check(len(site.carried) == 4 and len({body for _, body in site.carried}) == 1, "the same bytes until there is an answer:", site.carried)
    check(site.carried[2][0] - site.carried[1][0] >= 3, "who is asked to wait waits:", site.carried)
    check(browser.run("return throng.sent[0].answer") == {"accepted": 1, "refused": []}, "and the answer is the first one's:",
          browser.run("return throng.sent"))
    check(set(site.referrers) == {None}, "a request says from which page it comes:", site.referrers)
    ledger.holds("answers that are lost count once, and the script works from another place")


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
        browser.answered("length > 1")
        check(all(batch["purpose"] == "product" for batch in browser.sent()), "nothing else is sent")
        ledger.holds(f"with {what} on, only the purpose that does not go by it counts")
        browser.run("localStorage.clear()")


def close(browser, site, ledger):
    screen = screen_of(browser)
    first = browser.driver.window_handles[0]
    for way in ("closed", "left"):
        browser.tab()
        # Events wait longer than a busy machine takes to get there.
        browser.cdp("Page.addScriptToEvaluateOnNewDocument", source="""{
            const sooner = setTimeout;
            window.setTimeout = (step, pause, ...values) => sooner(step, pause * 1000, ...values);
        }""")
        browser.open(site.url("/"))
        # Once it has the plan; a preview counts nothing.
        browser.until("return throng.preview('view').then(answers => Object.keys(answers).length > 0)")
        browser.click("[href='/lamp/arc']").click("[data-page='/lamp/arc'] button")
        check(browser.run("return throng.sent") == [], "nothing is sent yet")
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
    browser.answered("length > 1")
    ledger.view("/", screen)
    ledger.holds("a page that comes back from the cache is seen again")


def prerendered(browser, site, ledger):
    browser.tab().open(site.url("/ahead"))
    until(lambda: "/shop.js" in site.ahead, "the page was rendered ahead", seconds=180)
    # Longer than any event waits.
    time.sleep(6)
    ledger.holds("a page that is rendered ahead is not seen")
    browser.click("[id='0']")
    browser.until("return !!window.throng")
    check(browser.run("return performance.getEntriesByType('navigation')[0].activationStart") > 0, "it was rendered ahead")
    browser.ready()
    ledger.view("/lamp/:name", screen_of(browser))
    ledger.holds("until it is shown")


def fields(browser, site, ledger):
    """Two dimensions may read one field; a value that nobody lists leaves as a hash; of a place with summer time the browser says its
    standard time, all year. What rules make of values is beacon_vectors'."""
    browser.tab().open(site.url("/")).ready()
    ledger.view("/", screen_of(browser))
    browser.cdp("Emulation.setTimezoneOverride", timezoneId="America/Santiago")
    browser.run("throng.record('probe', {p_route: '/a/SECRET'}); throng.record('open', {p_open: 'SECRET'})")
    browser.answered("length > 1")
    text = json.dumps(browser.sent())
    check("SECRET" not in text and "America" not in text, "a raw value left the page:", text)
    # Chile's standard time is four hours behind.
    for cell in (("p_offsets", "UTC-6..UTC-4"), ("p_routes", "/a/:id"), ("p_agains", "/a/*"), ("open", "other")):
        ledger.add(*cell)
    ledger.holds("a field counts in each dimension that reads it, and an offset without summer time")
    browser.cdp("Emulation.setTimezoneOverride", timezoneId="")
    browser.quiet()
