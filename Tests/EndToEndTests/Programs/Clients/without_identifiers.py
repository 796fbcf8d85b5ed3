"""A purpose without identifiers: the Swift SDK's sample app and the page's script send none and keep none, and are counted."""

import http.server
import json
import os
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


def counted(house):
    """How many events of the purpose without identifiers."""
    house.drain()
    return int(house.sql(f"""select coalesce(sum(t.value), 0) from throng.counter as t join throng.metric_layout as l
        using (metric_id) where l.layout ->> 'metric' = 'use' and t.measure = 0""")[0][0])


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
        before = counted(house)
        check("waiting 0" in notes("create", "one"), "an event waits without consent")
        notes("agree")
        for _ in range(6):
            notes("create", "two", "words")
        sent = [json.loads(line) for line in notes("sent").splitlines() if line.startswith("{")]
        check(len(sent) == 4, "the app keeps to four a day by itself, across starts, and sent", len(sent))
        check(all(set(body) <= {"app", "batch", "context", "events", "purpose", "window"} for body in sent), "it sent", sent)
        check(counted(house) - before == 4, "and they are counted")
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
    if daemon.seconds_left(86400) < 240:
        time.sleep(daemon.seconds_left(86400) + 1)
    site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    house = daemon.Daemon(PLAN, name="notes", THRONG_INTAKE_ORIGINS=f"http://notes.example:{site.server_address[1]}").start()
    site.house = house
    app(house)
    say("the Swift SDK sends no identifier, and keeps to the bound by itself")
    page(house, site)
    say("the page's script sends no identifier and keeps none")
    check(house.stop() == 0, "serve stops gracefully")


if __name__ == "__main__":
    daemon.main(test)
