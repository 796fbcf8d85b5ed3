"""What it costs the daemon that nobody sees who sends, and that nobody can pretend to be a crowd: processor time of batches that
come sealed, beside the same batches as they come directly, of proofs of identifiers, and of credentials. The daemon's own time
alone; sealing, proving and the program that vouches for devices are somebody else's."""

import concurrent.futures
import contextlib
import http.client
import json
import os
import subprocess
import sys
import threading
import time

from common import ROOT, daemon, main, plan_in, say
from servers import Throng

sys.path[:0] = [os.path.join(ROOT, ".build", "pyhpke"), os.path.join(ROOT, "Deploy", "clients", "python")]
import throng_oblivious  # noqa: E402
from throng_folder import fetch  # noqa: E402

PROVED = """
  hidden: {explanation: To measure relays., consent: not_required, transport: oblivious, rotation: 1 day, retention: 30 days}
  proved: {explanation: To measure proofs., consent: not_required, floor: attested, rotation: 1 day, retention: 30 days}
"""
SHOWN = """
  hums:
    {title: Hums, events: [hum], question: How fast is it?, decision: Where the time goes., owner: Nobody, expires: EXPIRES,
    purpose: hidden, dimensions: [os], period: hour}
  shown:
    {title: Shown, events: [shown], question: How fast is it?, decision: Where the time goes., owner: Nobody, expires: EXPIRES,
    purpose: proved, dimensions: [os], period: hour, measures: {reach: true}}
"""
VOUCH = "import json, sys\nprint(json.dumps({'device': json.load(sys.stdin)['token']}))\n"
AGENT = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1"


def batch(number, purpose="product", event="product_view", events=100, **more):
    now = time.time()
    return json.dumps({
        "app": "bench", "batch": os.urandom(16).hex(), "purpose": purpose, "window": int(now // 86400), "id": f"device {number}",
        "context": {"user_agent": AGENT, "screen": "390x844", "memory_gb": 4},
        "events": [{"event": event, "at": daemon.instant(now)}] * events, **more}).encode()


class Line(threading.local):
    """A connection a thread."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)

    def post(self, path, body, kind="application/json"):
        self.connection.request("POST", path, body, {"content-type": kind})
        answer = self.connection.getresponse()
        return answer.status, answer.read()


class Cost:
    """Processor time of the daemon for requests of a kind. Unit of what it tells: milliseconds a request."""

    def __init__(self, daemon):
        self.daemon, self.line = daemon, Line(daemon.port)

    def of(self, requests, wanted):
        before = self.daemon.cpu()[0]
        with concurrent.futures.ThreadPoolExecutor(4) as several:
            for status, text in several.map(lambda each: self.line.post(*each), requests):
                if status != wanted:
                    sys.exit(f"{status} {text[:300]}")
        return (self.daemon.cpu()[0] - before) * 1000 / len(requests)


def sealed_and_not(options, cost, figures):
    relay = throng_oblivious.Relay(f"http://127.0.0.1:{cost.daemon.port}", fetch)
    plan = fetch("GET", f"http://127.0.0.1:{cost.daemon.port}/v1/plan/bench", None, {})
    key = relay._learn(plan.headers["throng-gateway"])
    for round_number in range(options.rounds + 1):
        numbers = range(round_number * options.batches, (round_number + 1) * options.batches)
        direct = cost.of([("/v1/batches", batch(each)) for each in numbers], 202)
        plain = [throng_oblivious.request("POST", "/v1/batches", batch(each), {"content-type": "application/json"}) for each in numbers]
        sealed = cost.of([("/v1/ohttp", throng_oblivious.SealedRequest(each, *key).bytes, "message/ohttp-req") for each in plain], 200)
        # What comes first warms the daemon up.
        if round_number:
            figures.note("a batch of 100 events, directly, ms", direct)
            figures.note("a batch of 100 events, sealed, ms", sealed)
            figures.note("sealed ÷ direct", sealed / direct)
    figures.target("sealed ÷ direct", figures.median("sealed ÷ direct"), 2, at_most=True)


def proofs(options, cost, figures):
    with subprocess.Popen([options.probe, "credential"], text=True, bufsize=1, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as device:
        def ask(*words):
            print(*words, file=device.stdin, flush=True)
            return device.stdout.readline().split()

        terms = json.loads(fetch("GET", f"http://127.0.0.1:{cost.daemon.port}/v1/credentials/bench", None, {}).body)
        epoch = terms["epochs"][0]
        window = int(time.time() // 86400)
        for round_number in range(options.rounds):
            made = [ask("request", epoch["key"], "bench", epoch["epoch"]) for _ in range(options.devices)]
            answers, before = [], cost.daemon.cpu()[0]
            for number, (_, request) in enumerate(made):
                status, text = cost.line.post("/v1/credentials", json.dumps({
                    "app": "bench", "epoch": epoch["epoch"], "request": request,
                    "attestation": {"by": "command", "token": f"{round_number} {number}"}}).encode())
                if status != 200:
                    sys.exit(f"{status} {text[:300]}")
                answers.append(json.loads(text)["response"])
            figures.note("a credential, ms", (cost.daemon.cpu()[0] - before) * 1000 / options.devices)
            tokens = [ask("finalize", kept, answer)[0] for (kept, _), answer in zip(made, answers)]
            shown = [dict(zip(("id", "proof"), ask("present", token, "bench", "proved", window))) for token in tokens]
            proved = cost.of([("/v1/batches", batch(0, "proved", "shown", 1, **each)) for each in shown], 202)
            bare = cost.of([("/v1/batches", batch(0, "proved", "shown", 1, id=each["id"])) for each in shown], 202)
            figures.note("a proof, ms", proved - bare)
        with contextlib.suppress(BrokenPipeError):
            device.stdin.close()
    minutes = (figures.median("a proof, ms") + figures.median("a credential, ms") / 30) * 1e6 / 60_000
    figures.target("a million devices a day, a window each, minutes of CPU", minutes, 30, at_most=True)


def measure(options, folder, figures):
    plan = plan_in(folder)
    text = daemon.read(plan).replace("audience:", "relay: https://relay.example, audience:", 1)
    text = text.replace("\ndimensions:", PROVED + "\ndimensions:", 1).replace("\nmetrics:\n", "\nmetrics:" + SHOWN, 1)
    daemon.write(plan, text.replace("EXPIRES", daemon.expiry()))
    vouch, rules = (os.path.join(folder, name) for name in ("vouch.py", "attesters.yaml"))
    daemon.write(vouch, VOUCH, 0o600)
    command = f"{{program: [{sys.executable}, {vouch}], seconds: 20}}"
    daemon.write(rules, f"bench: {{credentials: 2, attesters: {{command: {command}}}}}\n", 0o600)
    throng = Throng(plan, THRONG_ATTESTERS=rules)
    throng.start()
    cost = Cost(throng)
    say("batches")
    sealed_and_not(options, cost, figures)
    say("proofs")
    proofs(options, cost, figures)
    throng.stop()


if __name__ == "__main__":
    main(__doc__, measure, ["probe"], rounds=(5, 1, ""), batches=(2000, 50, "of each kind and round"), devices=(100, 2, "in each round"))
