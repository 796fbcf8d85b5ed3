"""The beacon puts every value of Deploy/conform/vectors.json where the daemon does, or leaves it out; VectorTests hold Swift against
the same file."""

import json
import os
import urllib.parse

import daemon
import pages
from browser import Browser
from daemon import check, say

WEB = os.path.join(daemon.ROOT, "Sources", "ThrongServer", "Web", "throng.js")
# What a browser has no table for, or leaves to the daemon.
LEFT_OUT = {"significant_figures", "time", "utc_offset"}
WRITTEN_BY_PEOPLE = {" 10"}  # numbers for the beacon, because people write prices so


def vectors():
    return json.loads(daemon.read(daemon.ROOT, "Deploy", "conform", "vectors.json"))["buckets"]


def plan(dimensions):
    """A public plan with a field for each dimension of the vectors."""
    names = [each["dimension"] for each in dimensions]
    return {
        "app": "vectors", "title": "Vectors", "contact": "a@example.com", "time_zone": "UTC", "threshold": 20,
        "purposes": [{
            "name": "product", "rotation_seconds": 86400, "needs_consent": False, "consent_version": 1, "refused_by": [],
            "context_fields": [], "events": [{"name": "look", "fields": names}]}],
        "dimensions": [
            {"name": each["dimension"], "field": each["dimension"], "rule": each["rule"], "buckets": each["labels"]}
            for each in dimensions],
        "metrics": [{"name": "looks", "purpose": "product", "events": ["look"], "dimensions": names, "sums": [], "sampling": 1}]}


class Answer(pages.Handler):
    """In the daemon's place: what it is asked to preview comes back as it came."""

    def do_GET(self):
        path = urllib.parse.urlsplit(self.path).path
        if path == "/throng.js":
            return self.answer(200, daemon.read_bytes(WEB), content_type="text/javascript; charset=utf-8")
        if path == "/v1/plan/vectors":
            return self.answer(200, json.dumps(self.server.plan).encode(), content_type="application/json")
        text = b'<!DOCTYPE html><script defer src="/throng.js" data-app="vectors"></script>'
        return self.answer(200, text, content_type="text/html; charset=utf-8")

    def do_POST(self):
        self.answer(200, self.body(), content_type="application/json")


SEND = """const [name, values] = arguments, answers = [];
for (const value of values) answers.push((await throng.preview("look", {[name]: value})).product.events[0].fields[name] ?? null);
return answers;"""


def test():
    dimensions = vectors()
    stand = pages.Server(Answer, plan=plan(dimensions))
    wrong, count, left = [], 0, set()
    with Browser() as browser:
        browser.open(stand.url(host="vectors.example"))
        browser.until("return throng.preview('look').then((answers) => !!answers.product)")
        for each in dimensions:
            values = [case["value"] for case in each["values"]]
            sent = browser.run(f"return (async function () {{ {SEND} }})(...arguments)", each["dimension"], values)
            for case, label in zip(each["values"], sent):
                if case["value"] in WRITTEN_BY_PEOPLE:
                    continue
                if label is None:
                    left.add(each["rule"]["kind"])
                else:
                    count += 1
                    if label != case["label"]:
                        wrong.append((each["dimension"], case["value"], label, case["label"]))
    check(not wrong, f"{len(wrong)} values land elsewhere:", *wrong)
    check(left <= LEFT_OUT, "the beacon leaves out", left)
    check(count > 250, "only", count, "values were sent")
    say(f"{count} values land where the vectors say")
