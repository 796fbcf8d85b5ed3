"""Chromium on a page whose plan wants one purpose sealed: throng.js loads throng-oblivious.js, and what it sends goes through a relay
on this machine, is counted, and is of few sizes. Nothing of that purpose comes to the daemon's own address, where somebody listens,
whatever the relay does; under a plan that does not ask for it the same page is heard there. The shipped relays are relayed's."""

import time

import pages
from browser import Browser
from daemon import check, say
from oblivious import plan
from relay_street import KEYS, Street

PLAN = plan("consent: not_required, transport: oblivious",
            "  known: {explanation: To see who comes., consent: not_required, rotation: 1 hour, retention: 400 days}",
            "views: {title: Views, events: [view], purpose: known", ', relay: "RELAY"')


class Page(pages.Handler):
    """One page, under a strict policy, whose script comes from the door."""

    def do_GET(self):
        door, relay = self.server.door.address, self.server.relay.address
        policy = (f"default-src 'none'; script-src {door}; connect-src {door} {relay}; base-uri 'none'; "
                  "require-trusted-types-for 'script'; trusted-types 'none'")
        text = f'<!DOCTYPE html><title>Notes</title><script defer src="{door}/throng.js" data-app="notes"></script>'
        self.answer(200, text.encode(), content_type="text/html", content_security_policy=policy)


def waiting(browser):
    return browser.run("return throng.sent.filter(batch => !batch.answer).length")


def counted(street, site, browser):
    browser.open(site.url())
    browser.until("return window.throng")
    for number in range(3):
        browser.run(f"for (let n = 0; n < {1 + 60 * number}; n++) throng.record('note_created'); throng.record('note_found')")
        browser.answered(f"length > {number}")
    browser.run("throng.record('view')")
    browser.answered("some(batch => batch.purpose == 'known')")
    answers = browser.run("return throng.sent.map(batch => [batch.purpose, batch.answer.accepted])")
    check(len([each for each in answers if each[0] == "product"]) == 3, "the page sent", answers)
    check(street.house.counted() == 1 + 61 + 121 + 3 + 1, "counted", street.house.counted())
    check(street.direct() == ["known"], "directly came", street.direct())
    scripts = {each.path for each in street.door.seen if each.method == "GET"}
    check(scripts == {"/throng.js", "/throng-oblivious.js", "/v1/plan/notes"}, "directly was asked for", scripts)
    sealed = street.relay.sealed()
    # A body, the number of the key and of what it is used with, the page's key, and a tag.
    check({each.size for each in sealed} == {1024 + 7 + 65 + 16}, "sizes", {each.size for each in sealed})
    check(all("cookie" not in each.headers and "referer" not in each.headers for each in street.relay.seen), "it says more")
    check(len([each for each in street.relay.seen if (each.method, each.path) == ("GET", KEYS)]) == 1, "keys were asked for again")
    seen = browser.run("return throng.preview('note_created')")
    check(seen["product"]["events"][0]["counted"][0]["metric"] == "use", "a preview through the relay:", seen)
    check(street.direct() == ["known"], "a preview came directly:", street.direct())
    say("sealed in the browser, counted, and nothing of it came directly")


def refused(street, site, browser):
    """Whatever the relay does, what can't go through it waits, and counts once it can."""
    tried = street.fates()
    fates = {name: tried[name] for name in ("404", "no keys", "rubbish", "an answer", "keys of its own", "unsigned keys")}
    before = street.house.counted()
    for name, fate in fates.items():
        street.relay.fate = fate
        browser.tab()
        # Browsers keep keys for an hour, too.
        browser.cdp("Network.enable")
        browser.cdp("Network.setCacheDisabled", cacheDisabled=True)
        browser.open(site.url())
        browser.until("return window.throng")
        browser.run("throng.record('note_created')")
        browser.until("return throng.sent.length > 0", poke="throng.flush()")
        asked = len(street.relay.seen)
        # It pauses for a second or more between attempts.
        browser.until("return performance.now() > 3500")
        check(waiting(browser) == 1, name, "was taken for an answer")
        check(len(street.relay.seen) > 1 and street.direct() == ["known"], name, "led to", street.direct())
        street.relay.fate = None
        browser.settled()
        check(len(street.relay.seen) > asked, "nothing came afterwards")
    check(street.house.counted() == before + len(fates), "counted", street.house.counted() - before, "of", len(fates))
    say(f"{len(fates)} relays that refuse, lie or read lead to nothing directly, and later all of it counts once")

    # The page goes: what is sealed in time still arrives, and the rest is lost.
    browser.tab().open(site.url())
    browser.until("return window.throng")
    browser.run("throng.record('note_found')")
    browser.answered("length > 0")
    browser.run("throng.record('note_found')")
    browser.open("about:blank")
    time.sleep(2)
    check(street.direct() == ["known"], "a page that goes sends directly:", street.direct())


def control():
    """Under a plan without transport: oblivious the same page is heard at the door."""
    street = Street(PLAN.replace(", relay: \"RELAY\"", "").replace(", transport: oblivious", ""))
    site = pages.Server(Page, door=street.door, relay=street.relay)
    with Browser() as browser:
        browser.open(site.url())
        browser.until("return window.throng")
        browser.run("throng.record('note_created')")
        browser.ready()
    check(street.direct() == ["product"] and not street.relay.seen, "the control", street.direct())
    street.end()
    say("a plan that does not ask for it lets the same page be heard")


def test():
    street = Street(PLAN)
    site = pages.Server(Page, door=street.door, relay=street.relay)
    with Browser() as browser:
        counted(street, site, browser)
        refused(street, site, browser)
    street.end()
    control()
