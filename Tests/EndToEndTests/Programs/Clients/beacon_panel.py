"""The beacon's panel in Chromium, under a strict policy and on another origin than the daemon: it asks in a language in which all of it is,
takes an answer by keyboard and remembers it, shows what was sent, and axe finds nothing on it, light, dark and at 320 pixels."""

import json
import re

import daemon
from browser import Browser
from daemon import check, say
from page_look import look
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.common.action_chains import ActionChains
from webshop import SITE, Page, Site

INSIDE = "const inside = (selector) => [...document.querySelector('throng-panel').shadowRoot.querySelectorAll(selector)];"

# Purposes of other kinds than the sample's, of which other things are true.
TALLY = """
  tally: {explanation: To see how much., consent: not_required, identifier: none, retention: 400 days}
  served: {explanation: To see what is bought., consent: not_required, rotation: 1 hour, senders: backends, retention: 30 days}

dimensions:
"""
TALLIES = """
metrics:
  pings: {title: Pings, events: [ping], question: How many?, decision: None., owner: Web team, expires: 2027-10-31,
    purpose: tally, period: day, dimensions: [screen], contribution_bound: 4}
  served: {title: Served, events: [served], question: How?, decision: No., owner: Us, expires: 2027-10-31, purpose: served, period: day}
"""


class PrivacyPage(Page):
    """The sample's page with the panel; `/asking` has it only as long as something is to be asked."""

    def do_GET(self):
        path = self.path.split("?")[0]
        if path not in ("/privacy", "/asking", "/second"):
            return super().do_GET()
        counter = self.server.house.address
        text = daemon.read(SITE, "privacy.html").replace("http://127.0.0.1:8080", counter)
        if path == "/asking":
            text = text.replace("<throng-panel>", "<throng-panel ask>")
        policy = (f"default-src 'none'; script-src {counter}; connect-src {counter}; style-src 'self'; base-uri 'none';"
                  " frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'")
        return self.answer(200, text.encode(), content_type="text/html", content_security_policy=policy)


def inside(browser, script):
    return browser.run(INSIDE + script)


def shown(browser, url):
    browser.open(url)
    browser.until("return !!document.querySelector('throng-panel').shadowRoot")
    return browser


def state(browser, purpose):
    return inside(browser, f"return inside('article').find(each => each.querySelector('#purpose-{purpose}'))"
                           ".querySelector('.state').textContent")


def asks(browser, site):
    shown(browser, site.url("/privacy"))
    heading = inside(browser, "const found = inside('#purpose-marketing')[0]; return [found.lang, found.dir, found.textContent]")
    check(heading[:2] == ["en", "auto"] and heading[2].startswith("To see which"), "one German text makes no German panel:", heading)
    check(inside(browser, "return inside('#purpose-product')[0].lang") == "", "a text without a language names none")
    check(state(browser, "marketing") == "Not counted until you agree.", state(browser, "marketing"))
    check(state(browser, "product") == "Counted unless you say no.", state(browser, "product"))
    pressed = inside(browser, "return inside('[aria-pressed=true]').length")
    check(pressed == 0, "an answer is taken before it is given:", pressed)
    say("the panel mixes no languages")


def flat(text):
    return " ".join(text.split())


def tells(browser, site):
    """Each sentence is the label's, of its purpose, and says nothing of another; what was sent is told before anybody looks."""
    shown(browser, site.url("/privacy"))
    status, _, body = site.house.get("/v1/label/webshop", {"accept-language": "de-AT"})
    label = json.loads(body)
    text = daemon.run("plan", "label", site.house.plan)[1]
    spoken = flat(text.replace("\n- ", " ").replace("\n  ", " "))
    articles = inside(
        browser, "return inside('article').map(each => [each.querySelector('h3').id, each.querySelector('details').textContent])")
    articles = {name.removeprefix("purpose-"): flat(words) for name, words in articles}
    check(status == 200 and set(articles) == {each["name"] for each in label["purposes"]}, articles)
    for purpose in label["purposes"]:
        words = articles[purpose["name"]]
        facts = purpose["facts"] + [fact for metric in purpose["metrics"] for fact in metric["facts"]]
        said = [fact["text"] for fact in facts] + [metric["question"] for metric in purpose["metrics"]]
        said += [dimension["summary"] for dimension in purpose["dimensions"]]
        said += [recipient["title"] for recipient in purpose["recipients"]]
        for sentence in said:
            check(flat(sentence) in words, purpose["name"], "lacks", sentence, words)
            words = words.replace(flat(sentence), "", 1)
        for fact in facts:
            check(flat(fact["sentence"]) in spoken, "`throng plan label` does not say", fact["sentence"])
    for purpose, its, others in (
            ("product", ["random code", "Screen", "off on purpose"], ["Example Agency", "Came from"]),
            ("marketing", ["random code", "Example Agency", "Came from", "off on purpose"], ["Lamps put into the cart"]),
            ("tally", ["sends no code", "off on purpose"], ["random code", "Example Agency", "another one every"]),
            ("served", ["Servers send a random code", "off on purpose"], ["Your device sends", "How coarsely"])):
        check(all(words in articles[purpose] for words in its), purpose, "does not say", its, articles[purpose])
        check(not any(words in articles[purpose] for words in others), purpose, "says", others, articles[purpose])
    open_ones = inside(browser, "return inside('details[open]').length")
    browser.run("throng.record('view')")
    browser.ready()
    browser.until(INSIDE + "return inside('summary').at(-1).textContent == `What this page sent (${throng.sent.length})`"
                  " && inside('ol li').length == throng.sent.length")
    browser.until(INSIDE + "return !inside('ol')[0].textContent.includes('No answer yet')")
    check(open_ones == 0, "something was opened:", open_ones)
    say("each sentence is the label's and of its purpose, and what was sent is told before anybody looks")


def tells_the_truth(browser, site):
    """What the panel says of each purpose is what the public plan says, read by other means."""
    for purpose in json.loads(site.house.get("/v1/plan/webshop")[2])["purposes"]:
        words = flat(inside(browser, f"return inside('article').find(a => a.querySelector('#purpose-{purpose['name']}')).textContent"))
        code = re.search(r"another one every (\d* ?)(minute|hour|day)s? and for every purpose", words)
        rotation = code and int(code[1] or 1) * {"minute": 60, "hour": 3600, "day": 86400}[code[2]]
        check(rotation == (None if purpose.get("identifier") == "none" else purpose["rotation_seconds"])
              and f"Published numbers are kept for {purpose['retention_seconds'] // 86400} days here" in words, purpose, words)
        check(set(re.findall(r"fewer than \d+ (\w+) is", words)) == {{None: "actions", 86400: "devices"}.get(rotation, "visits")}, words)
        check(("You are asked first" in words) == purpose["needs_consent"] == ("Your yes is the legal basis" in words), words)
    check(state(browser, "served") == "Servers send this. To say no, ask privacy@lamps.example.", state(browser, "served"))
    said = inside(browser, "return inside('h2, article, section > ul').map(each => each.textContent).join(' ')")
    check(not re.search(r"\b(events?|identifiers?|cells?|floors?|bands?|k)\b", said), "not a reader's word:", said)


def by_keyboard(browser, site):
    """No pointer: Tab to the answer, Space to give it."""
    shown(browser, site.url("/privacy"))
    keys = ActionChains(browser.driver)
    for _ in range(40):
        keys.send_keys(Keys.TAB).perform()
        focus = browser.run("return document.activeElement.shadowRoot?.activeElement?.textContent")
        group = browser.run("return document.activeElement.shadowRoot?.activeElement?.parentElement" ".getAttribute('aria-labelledby')")
        if focus == "Yes, count it" and group == "purpose-marketing":
            break
    else:
        check(False, "Tab does not lead to the answer")
    outline = browser.run("return getComputedStyle(document.activeElement.shadowRoot.activeElement).outlineStyle")
    check(outline == "solid", "what has the focus does not show it:", outline)
    ActionChains(browser.driver).send_keys(Keys.SPACE).perform()
    check(state(browser, "marketing") == "Counted: you agreed.", state(browser, "marketing"))
    check(inside(browser, "return inside('[role=status]')[0].textContent") == "Counted: you agreed.", "nothing is said aloud")
    check(browser.run("return document.activeElement.shadowRoot.activeElement.textContent") == "Yes, count it", "the focus is lost")
    say("an answer is given by keyboard, seen, heard, and the focus stays")


def remembers(browser, site):
    shown(browser, site.url("/privacy"))
    check(state(browser, "marketing") == "Counted: you agreed.", "the answer is forgotten:", state(browser, "marketing"))
    check(browser.run("return localStorage['throng consent webshop marketing']") == "1", "something else is kept")
    browser.run("throng.record('view'); throng.flush()")
    browser.answered("some(batch => batch.purpose == 'marketing')")
    inside(browser, "inside('details:last-of-type summary').at(-1).click()")
    browser.until(INSIDE + "return inside('pre').length > 0")
    bodies = [json.loads(text) for text in inside(browser, "return inside('pre').map(each => each.textContent)")]
    sent = [json.loads(body) for body in browser.run("return throng.sent.map(batch => batch.body)")]
    check(bodies == sent[::-1], "the log shows", bodies, "and what was sent is", sent)
    check(inside(browser, "return inside('ol li p[lang=en]').length") == 1, "the log does not say its language")
    entries = inside(browser, "return inside('ol li').map(each => each.textContent)")
    check(any(each.startswith("To see which") and each.endswith("Counted 1, refused none.") for each in entries), "it says", entries)
    look(browser, "sent", 320, "screen", "light", page="panel")
    browser.cdp("Emulation.clearDeviceMetricsOverride")
    inside(browser, "inside('[aria-labelledby=purpose-marketing] button')[1].click()")
    check(state(browser, "marketing") == "Not counted: you said no.", state(browser, "marketing"))
    def count(purpose):
        return browser.run(f"return throng.sent.filter(batch => batch.purpose == '{purpose}').length")

    product, marketing = count("product"), count("marketing")
    browser.run("throng.record('view')")
    browser.until(f"return throng.sent.filter(batch => batch.purpose == 'product').length > {product}", poke="throng.flush()")
    check(count("marketing") == marketing, "who said no is counted")
    shown(browser, site.url("/privacy"))
    check(state(browser, "marketing") == "Not counted: you said no.", "the refusal is forgotten")
    say("the answer is remembered, what was sent is shown byte for byte, and a refusal holds")


def follows(browser, site):
    """The last answer holds, whoever gave it: the panel, a button of the page, a page without the panel, another tab."""
    shown(browser, site.url("/privacy"))
    inside(browser, "inside('[aria-labelledby=purpose-product] button')[0].click()")
    browser.run("throng.record('view')")
    browser.answered("some(batch => batch.purpose == 'product')")
    browser.run("throng.consent('product', false)")
    check(state(browser, "product") == "Not counted: you said no.", "the panel does not follow the page:", state(browser, "product"))
    browser.answered("some(batch => batch.answer?.receipt)")
    shown(browser, site.url("/privacy"))
    check(state(browser, "product") == "Not counted: you said no.", "a reload undoes the page's no:", state(browser, "product"))
    browser.run("throng.record('view'); throng.flush()")
    check(not browser.run("return throng.sent.some(batch => batch.purpose == 'product' && batch.body.includes('events'))"),
          "who said no is counted again")
    browser.run("throng.consent('product', true)")
    shown(browser, site.url("/privacy"))
    check(state(browser, "product") == "Counted: you agreed.", "a reload undoes the page's yes:", state(browser, "product"))
    browser.open(site.url("/")).run("throng.consent('product', false)")
    # A yes that the page says before there is a panel is older than the no.
    early = browser.cdp("Page.addScriptToEvaluateOnNewDocument",
                        source="addEventListener('DOMContentLoaded', () => throng.consent('product', true))")["identifier"]
    shown(browser, site.url("/second"))
    check(state(browser, "product") == "Not counted: you said no.", "a page's old yes undoes the no:", state(browser, "product"))
    check(browser.run("return throng.answers.product") is False, "the beacon has the page's old yes")
    browser.cdp("Page.removeScriptToEvaluateOnNewDocument", identifier=early)
    first = browser.driver.current_window_handle
    shown(browser, site.url("/privacy"))
    check(state(browser, "product") == "Not counted: you said no.", "a page without the panel says no in vain:", state(browser, "product"))
    shown(browser.tab(), site.url("/privacy")).run("throng.consent('product', 1)")
    browser.driver.close()
    browser.driver.switch_to.window(first)
    browser.until(INSIDE + "return inside('[aria-labelledby=purpose-product] button')[0].ariaPressed == 'true'")
    check(browser.run("return throng.answers.product") == 1, "the beacon of another tab has another answer")
    # The sample's own question has the panel's answer.
    browser.open(site.url("/")).run("document.querySelector('#question').hidden = false")
    browser.click("#agree")
    shown(browser, site.url("/privacy"))
    check(state(browser, "marketing") == "Counted: you agreed.", "the shop's answer is another one:", state(browser, "marketing"))
    browser.run("localStorage.clear()")
    shown(browser, site.url("/asking")).run("throng.consent('marketing', true)")
    check(browser.run("return document.querySelector('throng-panel').hidden"), "it asks for what the page was told")
    say("the last answer holds over a reload, whoever gave it")


def only_asks(browser, site):
    shown(browser, site.url("/asking"))
    check(browser.run("return document.querySelector('throng-panel').hidden"), "who has answered is asked again")
    browser.run("localStorage.clear()")
    shown(browser, site.url("/asking"))
    count = inside(browser, "return [inside('article').length, document.querySelector('throng-panel').hidden]")
    check(count == [1, False], "it asks for", count)
    inside(browser, "inside('button')[1].click()")
    check(browser.run("return document.querySelector('throng-panel').hidden"), "it stays after the last answer")
    # Whoever agreed to an earlier version is to be asked again; one who refused is not.
    browser.run("localStorage['throng consent webshop marketing'] = '0'")
    shown(browser, site.url("/asking"))
    check(not browser.run("return document.querySelector('throng-panel').hidden"), "an earlier version is taken for this one")
    say("with `ask` it is there as long as something is to be asked")


def test():
    plan = daemon.read(SITE, "webshop.yaml").replace("\ndimensions:\n", TALLY, 1).replace("\nmetrics:\n", TALLIES, 1)
    house = daemon.Daemon(plan, name="webshop", THRONG_INTAKE_ORIGINS="*")
    site = Site(house, PrivacyPage)
    house.address = f"http://count.example:{house.port}"
    house.start()
    with Browser() as browser:
        asks(browser, site)
        tells(browser, site)
        tells_the_truth(browser, site)
        for name, width, scheme in (("light", 1280, "light"), ("dark", 1280, "dark"), ("narrow", 320, "light")):
            shown(browser, site.url("/privacy"))
            inside(browser, "inside('details').forEach(each => each.open = true)")
            look(browser, name, width, "screen", scheme, page="panel")
        browser.cdp("Emulation.clearDeviceMetricsOverride")
        by_keyboard(browser, site)
        remembers(browser, site)
        follows(browser, site)
        only_asks(browser, site)
        browser.quiet()
    check(house.stop() == 0, "serve stops gracefully")
