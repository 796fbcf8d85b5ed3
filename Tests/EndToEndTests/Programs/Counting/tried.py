"""`throng try` with a plan of another field than a shop's: reports within a minute, each batch on the page within a second as it was
counted, a plan that is broken and mended, and a folder that no real daemon takes."""

import atexit
import json
import os
import secrets
import shutil
import signal
import subprocess
import time

import daemon
import page_look
from browser import Browser
from daemon import BINARY, HERE, check, say, until


class Trial:
    """A `throng try` of the test's own."""

    def __init__(self, plan, data, log):
        self.port = daemon.free_ports(1)[0]
        self.log = log
        atexit.register(self.stop)
        with open(log, "wb") as words:
            self.process = subprocess.Popen(
                [BINARY, "try", plan, "--data", data, "--port", str(self.port), "--audience", "400", "--days", "15"],
                stdin=subprocess.DEVNULL, stdout=words, stderr=words, env=daemon.environment(noise=True))

    def said(self):
        return daemon.read(self.log)

    def ask(self, method, path, body=None, **headers):
        return daemon.fetch(self.port, method, path, body, headers, seconds=60)[::2]

    def news(self, version=0):
        """What changed after a version; nothing where nothing did for some seconds."""
        status, body = self.ask("GET", f"/try/feed?after={version}")
        return json.loads(body) if status == 200 else None

    def post(self, *events, purpose="product", rotation=86400, **members):
        now = time.time()
        batch = {"app": "podcast", "purpose": purpose, "window": int(now) // rotation, "id": secrets.token_hex(16),
                 "batch": secrets.token_hex(16), "events": [
                     {"at": time.strftime("%FT%TZ", time.gmtime(now)), **event} for event in events], **members}
        return self.ask("POST", "/v1/batches", json.dumps(batch))

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        return self.process.wait(120)


def entry(trial, number):
    """The entry of a batch, and the version of the news with it."""
    news = trial.news()
    found = [each for each in news["entries"] if each["number"] == number]
    return (found[0], news["version"]) if found else None


def batches(trial):
    status, answer = trial.post({"event": "play_started", "fields": {"genre": "Crime"}}, {"event": "play_startd"},
                                {"event": "play_ended", "fields": {"percent": 70, "minutes": "much"}},
                                context={"user_agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"})
    begun = time.monotonic()
    check(status == 202 and json.loads(answer)["accepted"] == 1, "the daemon answered", status, answer)
    shown, _ = until(lambda: entry(trial, 1), "the batch is never on the page", pause=0.02)
    took = time.monotonic() - begun
    check(took < 1, "it took", took, "seconds until the batch was there")
    say(f"a batch is on the page {took:.2f} s after it was answered")
    counted, unknown, bad = shown["events"]
    buckets = dict(counted["counted"][0]["buckets"])
    check(buckets == {"Genre": "Crime", "Operating system": "Linux"}, "the buckets are", buckets)
    check(unknown["refused"] == "unknown_event" and any("play_started" in hint for hint in unknown["hints"]), unknown)
    check(bad["refused"] == "invalid_value" and not bad["counted"] and "expected: a number" in bad["hints"], bad)
    check("the current one" in shown["window"] and shown["consent"] == "no consent needed", shown["window"], shown["consent"])

    def numbers():
        found = entry(trial, 1)[0]["events"][0]["counted"][0].get("numbers")
        return found if found and any("would be published" in each["words"] for each in found) else None
    found = until(numbers, "its numbers never come", lambda: entry(trial, 1), seconds=60)
    check(found[0]["cell"] == "All" and "off by up to" in found[0]["words"], found)
    check(any(each["cell"] == "Genre: Crime" for each in found), found)
    say("its numbers:", "; ".join(f"{each['cell']}: {each['words']}" for each in found))

    status, answer = trial.post({"event": "message_heard"}, purpose="sponsors", rotation=3600)
    check(json.loads(answer)["refused"][0]["reason"] == "consent_outdated", status, answer)
    shown = until(lambda: entry(trial, 2), "the second batch is never on the page")[0]
    check("version 1 was given, version 2 is asked for" in shown["consent"], shown["consent"])
    status, answer = trial.ask("POST", "/v1/batches", "{")
    shown = until(lambda: entry(trial, 3), "what is no batch is never on the page")[0]
    check(status == 400 and shown["problem"]["error"] == "not_json", status, shown)
    say("refusals are there with their rule, their place and what was meant")


def withdrawals(trial):
    """What is taken back is a line of its own, and what comes of that identifier later is refused in words that fit."""
    identifier = secrets.token_hex(16)
    withdrawal = json.dumps({"app": "podcast", "purpose": "product", "window": int(time.time()) // 86400, "id": identifier})
    heard = {"event": "play_started", "fields": {"genre": "Crime"}}
    trial.post(heard, heard, id=identifier)
    for words in ("2 taken back", "no event of this identifier is known here"):
        before = max(each["number"] for each in trial.news()["entries"])
        status, answer = trial.ask("POST", "/v1/withdraw", withdrawal)
        check(status == 202 and "receipt" in json.loads(answer), "it can't be taken back:", status, answer)
        shown = until(lambda: entry(trial, before + 1), "the withdrawal is never on the page")[0]
        check(any(words in mark for _, mark in shown["marks"]) and not shown["events"], shown)
    status, answer = trial.post(heard, id=identifier)
    check(json.loads(answer)["refused"][0]["reason"] == "opted_out", status, answer)
    shown = until(lambda: entry(trial, before + 2), "what came later is never on the page")[0]
    check("was taken back" in shown["events"][0]["note"], shown)
    say("withdrawals are there, each with what it took back")


def plans(trial, path):
    good = daemon.read(path)
    first = trial.news()["plan"]
    check(first["state"] == "counting", first)
    # A mistake, named with its line; the daemon goes on meanwhile.
    begun = time.monotonic()
    daemon.write(path, good.replace("    field: genre\n", "    feild: genre\n"))
    wrong = until(
        lambda: (said := trial.news()["plan"])["state"] == "mistaken" and said, "the mistake is never on the page", seconds=10, pause=0.02)
    say(f"a mistake is on the page {time.monotonic() - begun:.2f} s after it was saved")
    line = good.split("\n").index("    field: genre") + 1
    check(any(each["line"] == line and "feild" in each["message"] for each in wrong["problems"]), wrong, line)
    check(trial.post({"event": "play_started", "fields": {"genre": "News"}})[0] == 202, "it takes nothing meanwhile")
    # Mended, with one more event: batches wait for it and are counted by it.
    daemon.write(path, good.replace("[play_started, play_resumed]", "[play_started, play_resumed, play_skipped]"))
    until(lambda: trial.news()["plan"]["state"] == "counting", "the mended plan never counts", lambda: trial.news()["plan"])
    second = trial.news()["plan"]
    check(second["version"] != first["version"] and not second["problems"], second)
    status, answer = trial.post({"event": "play_skipped", "fields": {"genre": "News"}})
    check(json.loads(answer)["accepted"] == 1, "the new event is", status, answer)
    say("a plan is read again when it is saved; a mistake stands there with its line, and nothing stops")


def page(trial):
    # A page whose name leads here reads nothing of what is posted; one that asks by an address does.
    check([trial.ask("GET", "/try/feed?after=0", Host=host)[0] for host in ("rebound.example", "127.0.0.1")] == [421, 200], "a host")
    with Browser(language="en") as browser:
        browser.open(f"http://127.0.0.1:{trial.port}/try")
        browser.until("return document.querySelectorAll('#batches > li').length >= 4")
        check("Made up" in browser.run("return document.querySelector('.made-up').textContent"), "nothing says that it is made up")
        before = browser.run("return document.querySelectorAll('#batches > li').length")
        browser.click("#send")
        browser.until(f"return document.querySelectorAll('#batches > li').length > {before}")
        browser.click("details summary")
        browser.until("return document.getElementById('curl').textContent.includes('/v1/batches')")
        names = [link["href"] for link in browser.run(
            "return [...document.querySelectorAll('#reports a')].map(a => ({href: a.getAttribute('href')}))")]
        check("/try/now/daily" in names and any(name.startswith("/try/made/") for name in names), names)
        for name, width, scheme in (("light", 1280, "light"), ("dark", 1280, "dark"), ("narrow", 320, "light")):
            page_look.look(browser, name, width, "screen", scheme, page="tryout")
        browser.quiet()
    for address in ("/try/now/daily", next(name for name in names if name.startswith("/try/made/"))):
        status, body = trial.ask("GET", address)
        check(status == 200 and b"Made up: The day" in body or b"Made up: The week" in body, address, status, body[:300])
    say("the page is alive in Chromium, and axe finds nothing; reports say that they are made up")


def backends(trial, path):
    """Of a plan that counts backends only: the trial makes a secret, says it, and posts with it itself."""
    good = daemon.read(path)
    daemon.write(path, good.replace("    rotation: 1 day\n", "    rotation: 1 day\n    senders: backends\n").replace(
        "    rotation: 1 hour\n", "    rotation: 1 hour\n    senders: backends\n"))
    until(lambda: "--header 'authorization: Bearer as_" in trial.said(), "no secret is said", trial.said)
    until(lambda: trial.news()["plan"]["state"] == "counting", "the plan for backends never counts")
    status, answer = trial.post({"event": "play_started", "fields": {"genre": "News"}})
    check(status == 401 and b"secret_required" in answer, "a client was let in:", status, answer)
    secret = trial.said().rsplit("--header 'authorization: ", 1)[1].split("'")[0]
    now = int(time.time())
    batch = {"app": "podcast", "purpose": "product", "window": now // 86400, "id": secrets.token_hex(16), "batch": secrets.token_hex(16),
             "events": [{"event": "play_started", "at": time.strftime("%FT%TZ", time.gmtime(now)), "fields": {"genre": "News"}}]}
    status, answer = trial.ask("POST", "/v1/batches", json.dumps(batch), Authorization=secret)
    check(status == 202 and json.loads(answer)["accepted"] == 1, "its secret is refused:", status, answer)
    check(trial.ask("POST", "/try/example")[0] == 202, "the page's own batch is refused")
    _, headers, _ = daemon.fetch(trial.port, "GET", "/try/example")
    check(headers.get("authorization") == secret, "the page's command has no secret", headers)
    daemon.write(path, good)
    until(lambda: trial.post({"event": "play_started", "fields": {"genre": "News"}})[0] == 202, "the plan is not as it was")
    folder = daemon.temporary()
    served = os.path.join(folder, "plan.yaml")
    daemon.write(served, good.replace("    rotation: 1 day\n", "    rotation: 1 day\n    senders: backends\n"))
    status, out, words = daemon.run(
        "try", served, "--data", os.path.join(folder, "data"), "--audience", "200", "--days", "1", "--once", "--json")
    check(status == 0 and json.loads(out)["eventsAcknowledged"] > 0, "no batch of its own counts:", status, out, words[-500:])
    say("a plan for backends is tried with a secret that the trial makes and says")


def keys(data):
    """Keys of the app are made and revoked beside it."""
    status, made, words = daemon.run("app", "key", "new", "podcast", "--name", "orders", "--backend", "--data", data, seconds=30)
    check(status == 0 and made.startswith("as_"), "no secret is made beside a trial:", status, words)
    status, listed, words = daemon.run("app", "key", "list", "podcast", "--json", "--data", data)
    status, _, words = daemon.run("app", "key", "revoke", "podcast", json.loads(listed)[0]["id"], "--data", data, seconds=30)
    check(status == 0, "no secret is revoked beside a trial:", status, words)
    say("keys are made and revoked beside a trial")


def refused(data, plan):
    """No daemon takes the folder, and no trial another one."""
    status, _, words = daemon.run("serve", "--plan", plan, "--data", data)
    check(status == 1 and "made-up numbers" in words, "serve took a trial's folder:", status, words[-500:])
    other = daemon.temporary()
    daemon.write(os.path.join(other, "daemon.id"), "")
    status, _, words = daemon.run("try", plan, "--data", other, "--once")
    check(status == 1 and "something else than an earlier trial" in words, status, words[-500:])
    check(os.listdir(other) == ["daemon.id"], "it changed", os.listdir(other))
    status, _, words = daemon.run("serve", "--plan", plan, "--data", other, "--made-up")
    check(status == 1 and "nothing that" in words, status, words[-500:])
    say("no real daemon takes its folder, and it takes no real one")


def test():
    folder = daemon.temporary()
    plan, data = os.path.join(folder, "podcast.yaml"), os.path.join(folder, "data")
    shutil.copy(os.path.join(HERE, "podcast.yaml"), plan)
    trial = Trial(plan, data, os.path.join(folder, "try.log"))
    until(lambda: "The page is alive" in trial.said() or trial.process.poll() is not None, "it is never alive", trial.said, seconds=900)
    check(trial.process.poll() is None, "it ended:", trial.said()[-3000:])
    made = os.listdir(os.path.join(data, "reports", "sponsor"))
    check(any(name.startswith("daily") and name.endswith(".html") for name in made), made)
    check(any(name.startswith("weekly") and name.endswith(".html") for name in made), made)
    week = daemon.read(data, "reports", "sponsor", next(name for name in made if name.startswith("weekly") and name.endswith(".html")))
    check("Counts devices of the busiest day of the week" in week and "Counts actions" in week, "whose devices those of a week are")
    say("reports of the day and of the week are there")
    batches(trial)
    withdrawals(trial)
    plans(trial, plan)
    page(trial)
    backends(trial, plan)
    keys(data)
    status, _, words = daemon.run("try", plan, "--data", data, "--once")
    check(status == 1 and "A trial runs in" in words, "a second trial took the folder:", status, words[-500:])
    check(trial.post({"event": "play_started", "fields": {"genre": "News"}})[0] == 202, "a second trial ended the first")
    check(trial.stop() == 0, "it ended with", trial.process.returncode, trial.said()[-2000:])
    refused(data, plan)
