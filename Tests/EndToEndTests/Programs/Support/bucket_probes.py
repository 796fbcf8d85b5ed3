"""Values for every kind of rule: what the page makes of each is what the daemon makes of it."""

import json
import os
import time

import daemon
from daemon import check
from ledger import screen_of
from webshop import ROTATION, SITE

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
                 [0, -1, 0.009, 0.01, 0.0999, 1, 9.999, 10, 999999, 1e6, 1e12, "1e3", "+5", ".5", "5.", "0x10", "",
                  "1-10", "<0.01", ">=1000000", "nan", "Infinity", True]),
    "p_file": ("file_type: standard",
               ["holiday.JPG", "a.tar.gz", "/home/me/.profile", ".zip", "x/.zip", "a.zip/b", "C:\\notes\\plan.PDF", "mail.image",
                "image", "zip", "*.zip", "main.swift", "..zip", "x.", "", 7.5, "x.unknown", True]),
}
# Rules that the script has nothing for: the field is left out.
LEFT_OUT = {
    "p_figures": ("significant_figures: {digits: 2, from: 1, to: 1000000}", [12345, "12345", 0.5, "12346-SECRET"]),
}


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
    check(text.count("consent: required") == 1, "the sample's consents")
    text = text.replace("consent: required", "consent: required\n    consent_version: 2")
    return text.replace("rotation: 1 day", f"rotation: {daemon.duration(ROTATION)}")
