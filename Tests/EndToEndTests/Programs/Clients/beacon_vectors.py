"""The beacon puts every value of Deploy/conform/vectors.json where the daemon does, or leaves it out; VectorTests hold Swift against
the same file."""

import http.server
import json
import os
import threading
import urllib.parse

import daemon
from browser import Browser
from daemon import check, say

WEB = os.path.join(daemon.ROOT, "Sources", "ThrongServer", "Web", "throng.js")
# What a browser has no table for, or leaves to the daemon.
LEFT_OUT = {"significant_figures", "time", "utc_offset"}
# What it reads as a number, because people write prices so.
WRITTEN_BY_PEOPLE = {" 10"}


def vectors():
    with open(os.path.join(daemon.ROOT, "Deploy", "conform", "vectors.json"), encoding="utf-8") as file:
        return json.load(file)["buckets"]


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
        "metrics": [{
            "name": "looks", "purpose": "product", "events": ["look"], "dimensions": names, "sums": [], "sampling": 1}]}


class Stand(http.server.ThreadingHTTPServer):
    """In the daemon's place: what it is asked to preview comes back as it came."""

    daemon_threads = True

    def __init__(self, dimensions):
        super().__init__(("127.0.0.1", 0), Answer)
        self.plan = plan(dimensions)
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Answer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, kind, body):
        self.send_response(200)
        self.send_header("content-type", kind + "; charset=utf-8")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        path = urllib.parse.urlsplit(self.path).path
        if path == "/throng.js":
            with open(WEB, "rb") as file:
                return self.answer("text/javascript", file.read())
        if path == "/v1/plan/vectors":
            return self.answer("application/json", json.dumps(self.server.plan).encode())
        self.answer("text/html", b'<!DOCTYPE html><script defer src="/throng.js" data-app="vectors"></script>')

    def do_POST(self):
        self.answer("application/json", self.rfile.read(int(self.headers["content-length"])))


SEND = """const [name, values] = arguments, answers = [];
for (const value of values) answers.push((await throng.preview("look", {[name]: value})).product.events[0].fields[name] ?? null);
return answers;"""


def test():
    dimensions = vectors()
    stand = Stand(dimensions)
    wrong, count, left = [], 0, set()
    with Browser() as browser:
        browser.open(f"http://vectors.example:{stand.server_address[1]}/")
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


if __name__ == "__main__":
    daemon.main(test)
