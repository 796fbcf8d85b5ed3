"""Credentials, from the terms that everybody reads to what a device keeps: attesters are asked as they are configured and say
yes, no or nothing; a device gets so many and no more, also after kill -9; a lost answer is given again; all of it sealed, too.
Then a flood of requests, while batches are counted."""

import base64
import contextlib
import hashlib
import json
import os
import statistics
import subprocess
import sys
import threading
import time

import daemon
import oblivious
import pages
from daemon import check, say, until

# What a batch may take while others flood the desk. Unit: seconds.
LIMIT = float(os.environ.get("THRONG_TEST_DELAY", "2"))
COMMAND = """import json, sys
asked = json.load(sys.stdin)
if asked["token"] == "nobody":
    sys.exit(1)
print(json.dumps({"device": asked["token"]}))
"""


class Device:
    """The device's half, which is ThrongAttestation's."""

    def __init__(self):
        self.process = subprocess.Popen([os.path.join(os.path.dirname(daemon.BINARY), "Probe"), "credential"], text=True, bufsize=1,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=daemon.environment())

    def ask(self, *words):
        print(*words, file=self.process.stdin, flush=True)
        return self.process.stdout.readline().split()

    def request(self, terms, place=0):
        epoch = terms["epochs"][place]
        return self.ask("request", epoch["key"], terms["app"], epoch["epoch"])

    def close(self):
        self.process.stdin.close()
        self.process.wait(30)


def encoded(raw):
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


class Login(pages.Handler):
    """A shop's login, as an attester."""
    seen = []
    mood = "well"

    def do_POST(self):
        body = json.loads(self.body())
        Login.seen.append((self.headers["authorization"], self.path, body))
        if Login.mood == "slow":
            time.sleep(15)
        status = 500 if Login.mood == "broken" else 403 if body["token"] == "nobody" else 200
        answer = {"device": "x" * 5000 if Login.mood == "long" else body["token"]}
        text = json.dumps(answer).encode() if Login.mood != "odd" else b"yes"
        with contextlib.suppress(OSError):
            self.answer(status, text)


def rules(folder, app, more=""):
    """A file of attesters, with a program that vouches for each token but one."""
    program = daemon.write(os.path.join(folder, "vouch.py"), COMMAND, 0o600)
    return daemon.write(os.path.join(folder, "attesters.yaml"), f"""
{app}:
  credentials: 2
  attesters:
    command: {{program: [{sys.executable}, {program}], seconds: 20}}
{more}""", 0o600)


class House(oblivious.House):
    def __init__(self):
        super().__init__(oblivious.PLAN, name="notes")
        self.login = pages.Server(Login)
        self.secret = os.path.join(self.data, "secrets", "login")
        os.makedirs(os.path.dirname(self.secret))
        daemon.write(self.secret, "Bearer of a secret\n", 0o600)
        self.allow(1)

    def allow(self, seconds):
        """How long the login may take, from the next start on."""
        url = self.login.url("/attest")
        self.settings["THRONG_ATTESTERS"] = rules(
            self.folder, "notes", f"""    http: {{url: "{url}", authorization: login, seconds: {seconds}}}\n""")

    def terms(self):
        status, headers, body = self.get("/v1/credentials/notes")
        check(status == 200, "terms:", status, body)
        check(headers["cache-control"] == "public, max-age=600", headers)
        return json.loads(body)

    def credential(self, request, token="phone", by="command", epoch=None, **more):
        """Status and body of a request for a credential."""
        body = {"app": "notes", "epoch": epoch or self.terms()["epochs"][0]["epoch"], "request": request,
                "attestation": {"by": by, "token": token}, **more}
        status, headers, answer = self.exchange("POST", "/v1/credentials", json.dumps(body))
        return status, json.loads(answer), headers


def unwell(house, request, mood):
    Login.mood = mood
    status, answer, headers = house.credential(request, by="http")
    check((status, answer["error"]) == (503, "overloaded") and headers["retry-after"], mood, status, answer)
    Login.mood = "well"


def giving(house, device):
    bodies = {house.get("/v1/credentials/notes")[2] for _ in range(20)}
    check(len(bodies) == 1, "not everybody reads the same terms")
    terms = house.terms()
    check(terms["attesters"] == ["command", "http"] and terms["credentials"] == 2, terms)
    check(terms["epochs"][0]["epoch"] == time.strftime("%Y-%m", time.gmtime()), terms)
    first, second = device.request(terms), device.request(terms)
    tags = []
    for kept, request in (first, second):
        status, answer, headers = house.credential(request)
        check(status == 200 and headers["cache-control"] == "no-store", status, answer)
        credential = device.ask("finalize", kept, answer["response"])[0]
        check(credential != "refused", "the device refuses its credential")
        tags.append([device.ask("present", credential, "notes", "product", window)[0] for window in (1, 1, 2)])
    check(all(one[0] == one[1] != one[2] for one in tags) and tags[0][0] != tags[1][0], tags)
    check(len(tags[0][0]) == 44, tags)
    third = device.request(terms)
    status, answer, headers = house.credential(third[1])
    check((status, answer["error"]) == (429, "too_many_credentials") and int(headers["retry-after"]) > 0, status, answer)
    began = time.monotonic()
    unwell(house, third[1], "slow")
    check(time.monotonic() - began < 12, "a slow attester is waited for")

    house.kill()
    # From now on the login is not slow, and has as long as a busy machine takes.
    house.allow(20)
    house.start()
    check(house.terms() == terms, "a kill -9 changed the keys")
    check(house.credential(third[1])[0] == 429, "a kill -9 gave a device more")
    asked = len(Login.seen)
    status, answer, _ = house.credential(first[1], token="nobody", by="http")
    credential = device.ask("finalize", first[0], answer["response"])[0]
    check(status == 200 and device.ask("present", credential, "notes", "product", 1)[0] == tags[0][0], status, answer)
    check(len(Login.seen) == asked, "somebody was asked about an answer that was lost")
    check(house.credential(third[1], token="tablet")[0] == 200, "another device gets none")
    say("a device gets two, and its answer as often as it asks")


def asking(house, device):
    terms = house.terms()
    kept, request = device.request(terms)
    status, answer, _ = house.credential(request, token="nobody", by="http")
    check((status, answer["error"]) == (403, "not_attested"), status, answer)
    for mood in ("broken", "odd", "long"):
        unwell(house, request, mood)
    os.chmod(house.secret, 0o644)
    check(house.credential(request, by="http")[0] == 503, "a secret that all may read is used")
    os.chmod(house.secret, 0o600)
    before = len(Login.seen)
    status, answer, _ = house.credential(request, by="http")
    check(status == 200 and device.ask("finalize", kept, answer["response"])[0] != "refused", status, answer)
    authorization, path, body = Login.seen[before]
    raw = base64.urlsafe_b64decode(request + "=" * (-len(request) % 4))
    check((authorization, path) == ("Bearer of a secret", "/attest"), authorization, path)
    check(body == {"app": "notes", "token": "phone", "challenge": encoded(hashlib.sha256(raw).digest())}, body)
    check("Bearer" not in house.log_text() and "phone" not in house.log_text(), "the log holds what it must not")
    say("an attester of one's own is asked")


def sealed(house, device):
    status, _, body = house.ask(oblivious.message("GET", "/v1/credentials/notes"))
    check((status, json.loads(body)) == (200, house.terms()), "sealed terms:", status, body)
    kept, request = device.request(house.terms())
    text = json.dumps({"app": "notes", "epoch": house.terms()["epochs"][0]["epoch"], "request": request,
                       "attestation": {"by": "command", "token": "sealed"}}).encode()
    status, _, body = house.ask(oblivious.message("POST", "/v1/credentials", text))
    check(status == 200 and device.ask("finalize", kept, json.loads(body)["response"])[0] != "refused", status, body)
    say("sealed")


def flood(house, device):
    """What costs the daemon most and needs no attester: the same request, again and again, on forty connections. Each is answered or
    turned away, and batches are counted meanwhile."""
    _, request = device.request(house.terms())
    body = json.dumps({"app": "notes", "epoch": house.terms()["epochs"][0]["epoch"], "request": request,
                       "attestation": {"by": "command", "token": "flood"}})
    check(house.credential(request, token="flood")[0] == 200, "the first one")
    found, stop = [], threading.Event()

    def ask():
        with contextlib.closing(house.connect()) as line:
            while not stop.is_set():
                line.request("POST", "/v1/credentials", body)
                answer = line.getresponse()
                answer.read()
                found.append(answer.status)

    threads = [threading.Thread(target=ask, daemon=True) for _ in range(40)]
    for thread in threads:
        thread.start()
    until(lambda: len(found) > 40, "the flood has not begun")
    waits = []
    for _ in range(50):
        began = time.monotonic()
        check(house.post(oblivious.batch(1))[0] == 202, "a batch beside a flood is turned away")
        waits.append(time.monotonic() - began)
    stop.set()
    for thread in threads:
        thread.join(30)
    check(set(found) <= {200, 503}, "a flood is answered", set(found))
    # Behind all of the flood each would wait for forty times what one of it takes.
    check(statistics.median(waits) < LIMIT, "a flood keeps batches waiting for", statistics.median(waits), "seconds")
    say(f"beside {len(found)} requests of a flood a batch takes {statistics.median(waits) * 1000:.1f} ms")


def test():
    house, device = House().start(), Device()
    giving(house, device)
    asking(house, device)
    sealed(house, device)
    flood(house, device)
    device.close()
    check(house.stop() == 0, "the daemon did not stop in order")
