"""A purpose without identifiers beside one with them: two hundred senders leave what one leaves, through kill -9 and replays;
an identifier is refused, and so is a withdrawal; the Swift SDK and the page's script send none and keep none.
"""

import http.client
import http.server
import json
import os
import random
import secrets
import shutil
import subprocess
import tempfile
import threading
import time

import daemon
from browser import Browser
from daemon import check, say

NOTES = os.environ.get("THRONG_NOTES_BINARY") or os.path.join(os.path.dirname(daemon.BINARY), "Notes")
EXPIRES = time.strftime("%Y-%m-%d", time.gmtime(time.time() + 100 * 86400))
PLAN = f"""
app: {{name: notes, title: Notes, owner: Team, contact: a@example.com, audience: 1000}}
purposes:
  product:
    {{explanation: To see what is used., consent: required, identifier: none, retention: 400 days}}
  known: {{explanation: To see who comes., consent: not_required, rotation: 1 hour, retention: 400 days}}
dimensions:
  os: {{title: System, field: os, list: [Linux, macOS]}}
  feature: {{title: Feature, field: event, list: [note_created, note_found]}}
metrics:
  use:
    {{title: Use, events: [note_created, note_found], question: What?, decision: That., owner: Team, expires: {EXPIRES},
    purpose: product, period: day, dimensions: [feature, os], contribution_bound: 4,
    measures: {{sums: {{words: {{field: words, from: 0, to: 100, decimals: 0}}}}}}}}
  views:
    {{title: Views, events: [view], question: What?, decision: That., owner: Team, expires: {EXPIRES}, purpose: known,
    period: day, dimensions: [os], contribution_bound: 100000,
    measures: {{reach: true, sums: {{length: {{field: length, from: 0, to: 9, decimals: 0}}}}}}}}
"""
NAMED = "join throng.metric_layout as l using (metric_id)"


class House(daemon.Daemon):
    def rows(self, metric):
        """What is counted, and what is known of identifiers."""
        where = f"{NAMED} where l.layout ->> 'metric' = '{metric}'"
        return {
            "counters": self.sql(f"select t.period_start, t.measure, t.cell, t.value from throng.counter as t {where} "
                                 "and t.value <> 0 order by 1, 2, 3"),
            "identifiers": self.sql("select t.period_start, t.margin, t.cell, t.devices from throng.distinct_count as t "
                                    f"{where} order by 1, 2, 3"),
        }

    def ask(self, path, body):
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        line.request("POST", path, json.dumps(body), {"content-type": "application/json"})
        answer = line.getresponse()
        found = answer.status, json.loads(answer.read())
        line.close()
        return found


def now():
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def streams(at, window):
    """Two hundred batches of either purpose, without their names."""
    chance = random.Random(5)
    made = []
    for number in range(200):
        system = chance.choice(["Linux", "macOS", "BeOS"])
        made.append({"app": "notes", "purpose": "product", "window": window, "events": [
            {"event": chance.choice(["note_created", "note_found"]), "at": at, "count": chance.randint(1, 6),
             "fields": {"os": system, "words": chance.randint(0, 200)}} for _ in range(chance.randint(1, 4))]})
        made.append({"app": "notes", "purpose": "known", "window": window, "events": [
            {"event": "view", "at": at, "fields": {"os": system, "length": 3}}]})
    return made


def expected(batches):
    """By cell: events of at most four each, and the words of each, clipped."""
    counts = {}
    for batch in batches:
        for event in batch["events"] if batch["purpose"] == "product" else []:
            systems = ["Linux", "macOS", "BeOS"]
            cell = ["note_created", "note_found"].index(event["event"]) * 3 + systems.index(event["fields"]["os"])
            count = min(event["count"], 4)
            for measure, amount in ((0, count), (1, count * min(event["fields"]["words"], 100))):
                counts[measure, cell] = counts.get((measure, cell), 0) + amount
    return {key: amount for key, amount in counts.items() if amount}


def world(batches, senders):
    """Everything is sent by so many, from addresses of their own; the daemon is killed thrice, and all of it comes again."""
    house = House(PLAN, name="notes").start()
    answers = {}
    for number, batch in enumerate(batches):
        batch = {**batch, "batch": secrets.token_hex(16)}
        if batch["purpose"] == "known":
            batch["id"] = f"device {number % (2 * senders)}"
        source = f"127.0.{number % senders // 200}.{1 + number % senders % 200}"
        answers[json.dumps(batch)] = house.post(json.dumps(batch), source=source)[2]
        if number % 120 == 60:
            house.kill()
            house.start()
    for body, answer in answers.items():
        again = house.post(body)
        check(again[0] == 202 and again[2] == answer, "a batch that comes again is told", again, "and was told", answer)
    house.drain()
    house.kill()
    house.start()
    for body, answer in answers.items():
        check(house.post(body)[2] == answer, "after a kill a batch that comes again is told otherwise")
    house.drain()
    return house


def refused(house, window):
    """What takes an identifier."""
    batch = {"app": "notes", "purpose": "product", "window": window, "batch": secrets.token_hex(16),
             "events": [{"event": "note_found", "at": now(), "fields": {"os": "Linux", "words": 1}}]}
    status, said = house.ask("/v1/batches", {**batch, "id": "me"})
    check((status, said["error"], said["pointer"]) == (422, "identifier_unwanted", "/id"), "an identifier is answered by", said)
    for more in ({"id": "me"}, {}):
        status, said = house.ask("/v1/withdraw", {"app": "notes", "purpose": "product", "window": window, **more})
        check((status, said["error"]) == (422, "nothing_to_tell_apart"), "a withdrawal is answered by", status, said)
    status, said = house.ask("/v1/withdraw", {"app": "notes", "purpose": "known", "window": window, "id": "device 2"})
    check(status == 202, "of the other purpose one is taken:", status, said)
    status, said = house.ask("/v1/batches", {**batch, "purpose": "known"})
    check((status, said["error"], said["pointer"]) == (400, "wrong_shape", "/id"), "the other purpose wants one:", status, said)
    status, said = house.ask("/v1/preview", batch)
    check(status == 200 and said["events"][0]["counted"][0]["metric"] == "use", "the preview says", status, said)
    purposes = {each["name"]: each for each in json.loads(house.get("/v1/plan/notes")[2])["purposes"]}
    check(purposes["product"].get("identifier") == "none" and "identifier" not in purposes["known"], "the plan says", purposes)


def app(house):
    """The Swift SDK's sample app."""
    folder = tempfile.mkdtemp(prefix="te-notes-", dir="/tmp")

    def notes(*command):
        done = subprocess.run(
            [NOTES, f"http://127.0.0.1:{house.port}/v1/plan/notes", folder, *command],
            capture_output=True, text=True, timeout=120, env=daemon.environment())
        check(done.returncode == 0, "Notes", *command, "ended with", done.returncode, done.stdout, done.stderr)
        return done.stdout

    try:
        before = house.rows("use")["counters"]
        check("waiting 0" in notes("create", "one"), "an event waits without consent")
        notes("agree")
        for _ in range(6):
            notes("create", "two", "words")
        sent = [json.loads(line) for line in notes("sent").splitlines() if line.startswith("{")]
        check(len(sent) == 4, "the app keeps to four a day by itself, across starts, and sent", len(sent))
        check(all(set(body) <= {"app", "batch", "context", "events", "purpose", "window"} for body in sent), "it sent", sent)
        house.drain()
        total = sum(int(row[3]) for row in house.rows("use")["counters"] if row[1] == "0")
        check(total - sum(int(row[3]) for row in before if row[1] == "0") == 4, "and they are counted")
        notes("refuse")
        more = [line for line in notes("sent").splitlines() if line.startswith("{")]
        check(len(more) == 4, "nothing is asked to be taken back:", more[4:])
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class Page(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        script = f'<script defer src="http://127.0.0.1:{self.server.house.port}/throng.js" data-app="notes"></script>'
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(f"<!DOCTYPE html><title>Notes</title>{script}".encode())


def page(house, site):
    """The script of web pages."""
    with Browser() as browser:
        browser.tab().open(f"http://notes.example:{site.server_address[1]}/")
        browser.until("return window.throng")
        browser.run("throng.consent('product', true); throng.record('note_found', {os: 'Linux', words: 3}); "
                    "throng.record('view', {os: 'Linux', length: 1})")
        browser.until("return throng.sent.length >= 2", poke="throng.flush()")
        browser.settled()
        bodies = {body["purpose"]: body for body in map(json.loads, browser.run("return throng.sent.map(each => each.body)"))}
        check("id" not in bodies["product"] and len(bodies["known"]["id"]) == 32, "the page sent", bodies)
        answers = browser.run("return throng.sent.map(each => each.answer.accepted)")
        check(answers == [1, 1], "it was told", answers)
        kept = browser.run("return Object.keys(sessionStorage)")
        check(kept == ["throng notes known"], "it keeps", kept)


def test():
    # Four of a device are counted a day, and all that is sent here is of one day.
    if daemon.seconds_left(86400) < 480:
        time.sleep(daemon.seconds_left(86400) + 1)
    window = int(time.time()) // 3600
    batches = streams(now(), window)
    one, many = world(batches, 1), world(batches, 200)
    found = {(int(measure), int(cell)): int(value) for _, measure, cell, value in one.rows("use")["counters"]}
    check(found == expected(batches), "counted is", found, "and was sent", expected(batches))
    check(one.rows("use") == many.rows("use"), "who sends makes a difference:", one.rows("use"), many.rows("use"))
    check(not one.rows("use")["identifiers"], "something is known of whoever sent")
    control = one.rows("views"), many.rows("views")
    check(control[0]["identifiers"], "of the other purpose nothing is known")
    check(control[0]["counters"] == control[1]["counters"] and control[0] != control[1], "the control shows no difference")
    say("one and two hundred senders leave the same, each event once through kill -9; with identifiers they do not")
    check(many.stop() == 0, "serve stops gracefully")
    refused(one, window)
    say("an identifier and a withdrawal are refused, the preview and the plan say what is counted")
    app(one)
    say("the Swift SDK sends no identifier, and keeps to the bound by itself")
    check(one.stop() == 0, "serve stops gracefully")
    site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    house = House(PLAN, name="notes", THRONG_INTAKE_ORIGINS=f"http://notes.example:{site.server_address[1]}").start()
    site.house = house
    page(house, site)
    say("the page's script sends no identifier and keeps none")
    check(house.stop() == 0, "serve stops gracefully")


if __name__ == "__main__":
    daemon.main(test)
