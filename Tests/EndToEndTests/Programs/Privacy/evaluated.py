"""Values of an open vocabulary that somebody else evaluates before devices hash them are learned all the same; the evaluator's key
is its owner's, and the shipped relays hand on to it. EvaluatingTests show that nobody guesses, and that nothing leaves without it."""

import atexit
import contextlib
import http.client
import json
import os
import random
import stat
import subprocess

import daemon
import stock_proxies
from daemon import check, say
from library_device import Device

K = 5
ROTATION = daemon.rotation_with_time_left([86400, 23 * 3600, 22 * 3600])
PLAN = f"""
app: {{name: shop, title: Shop, owner: Tests, contact: tests@example.com, audience: 100, threshold: {K}, EVALUATOR}}
purposes:
  product: {{explanation: To see what is used., consent: not_required, rotation: {daemon.duration(ROTATION)},
    retention: 30 days}}
dimensions:
  query: {{title: Search term, field: query, revealed: {{most: 4}}}}
metrics:
  searches: {{title: Searches, events: [search], question: What is looked for?, decision: None., owner: Tests,
    expires: EXPIRES, purpose: product, dimensions: [query], period: hour, contribution_bound: 1000}}
""".replace("EXPIRES", daemon.expiry())
PRIME = 2**256 - 2**224 + 2**192 + 2**96 - 1
B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B


class Evaluator:
    """One of them, with a key in a folder of its own."""

    def __init__(self, folder, hourly=1_000_000, port=None):
        os.makedirs(folder, exist_ok=True)
        self.file, self.log_path = os.path.join(folder, "evaluator.key"), os.path.join(folder, "log")
        self.hourly, self.port = hourly, port or daemon.free_ports(1)[0]
        self.key = daemon.ran(daemon.BINARY, "evaluator", "--public-key", "--key", self.file).stdout.strip()
        atexit.register(lambda: self.process and self.process.kill())

    process = None

    def start(self):
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen([daemon.BINARY, "evaluator", "--key", self.file, "--listen", f"127.0.0.1:{self.port}",
                                             "--hourly", str(self.hourly)], stdin=subprocess.DEVNULL, stdout=log, stderr=log)

        def is_alive():
            check(self.process.poll() is None, "no evaluator:", self.said())
            with contextlib.suppress(OSError):
                return self.ask(b"", "GET", "/healthz")[0] == 200
        daemon.until(is_alive, "no evaluator:", self.said, pause=0.05)
        return self

    def ask(self, body, method="POST", path="/v1/evaluations", headers={}):
        return daemon.fetch(self.port, method, path, body, headers, seconds=10)[::2]

    def said(self):
        return daemon.read(self.log_path)

    def stop(self):
        self.process.terminate()
        check(self.process.wait(30) == 0, "the evaluator ended with", self.process.returncode)
        self.process = None


def points(count):
    """Random points of P-256, compressed."""
    found = []
    while len(found) < count:
        x = random.randrange(PRIME)
        if pow(x**3 - 3 * x + B, (PRIME - 1) // 2, PRIME) == 1:
            found.append(bytes([random.choice((2, 3))]) + x.to_bytes(32, "big"))
    return b"".join(found)


def key(evaluator):
    again = Evaluator(os.path.dirname(evaluator.file))
    check(len(evaluator.key) == 44 and again.key == evaluator.key, "the key is made once:", evaluator.key, again.key)
    check(stat.S_IMODE(os.stat(evaluator.file).st_mode) == 0o600, "its file is its owner's")
    os.chmod(evaluator.file, 0o644)
    exposed = daemon.ran(daemon.BINARY, "evaluator", "--public-key", "--key", evaluator.file, ends=1)
    check("644" in exposed.stderr, "a key that others can read:", exposed)
    os.chmod(evaluator.file, 0o600)
    say("the evaluator's key is made once, for its owner's eyes")


def crowd(house, devices):
    """Devices look for one value: one of them says it with the evaluator's output, and it counts under its name."""
    said = []
    for _ in range(2):
        for device in devices:
            left = device.search("apple pie")
            check(all("apple" not in json.dumps(each) for each in left if "events" in each), "a batch has no value")
            said += [each for each in left if "value" in each]
    check(said, "nobody said it")
    known = house.sql("select label, output from throng.revealed_label")
    check(known == [["apple pie", said[0]["output"]]], "it is learned with its output:", known)
    house.drain()
    [[counted]] = house.sql("""select coalesce(sum(value), 0) from throng.counter as c
        join throng.revealed_label as l on l.slot = c.cell where c.measure = 0""")
    check(int(counted) >= len(devices), "it counts under its name:", counted)
    say(f"a value of {len(devices)} devices is learned with its output")


def proxied(house):
    """By the relays that are shipped: what is well formed is answered, and one network has so many an hour."""
    stock_proxies.certificate(house.folder, stock_proxies.Relay.name)
    authority = os.path.join(house.folder, "cert.pem")
    for kind in ("nginx", "haproxy"):
        evaluator = Evaluator(os.path.join(house.folder, kind), hourly=24).start()
        relay = stock_proxies.Relay(kind, daemon.free_ports(1)[0], authority, evaluator.port)

        def ask(body, method="POST", headers={}):
            connection = http.client.HTTPConnection("127.0.0.1", timeout=10)
            connection.sock = relay.connect()
            with contextlib.closing(connection):
                connection.request(method, "/v1/evaluations", body, headers)
                response = connection.getresponse()
                return response.status, response.read()

        status, body = ask(points(16), headers={"Cookie": "a=b", "X-Forwarded-For": "203.0.113.7"})
        check((status, len(body)) == (200, 16 * 33 + 64), kind, status, body)
        check(ask(bytes(132))[0] == 400 and ask(b"x")[0] == 400, kind, "hands on what is malformed")
        check(ask(b"", "GET")[0] in (403, 405) and ask(bytes(8192))[0] == 413, kind, "takes other requests")
        # 16 and four for what was no point; what a client says of its address is not believed.
        check(ask(points(4), headers={"X-Forwarded-For": "203.0.113.8"})[0] == 200, kind, "its last four")
        check(ask(points(4), headers={"X-Forwarded-For": "203.0.113.9"})[0] == 429, kind, "has no bound")
        check(evaluator.ask(points(4), headers={"X-Forwarded-For": "203.0.113.9"})[0] == 200, "another network's own")
        evaluator.stop()
        lines = evaluator.said().splitlines()
        check(len(lines) == 1 and "listening" in lines[0], "the evaluator wrote:", lines)
        relay.stop()
    say("nginx and haproxy as shipped hand on to an evaluator, which bounds each network and writes nobody down")


def test():
    house = daemon.Daemon("")
    evaluator = Evaluator(os.path.join(house.folder, "evaluator"))
    daemon.write(house.plan, PLAN.replace("EVALUATOR", f"evaluator: {{url: 'http://127.0.0.1:{evaluator.port}', key: {evaluator.key}}}"))
    key(evaluator)
    evaluator.start()
    house.start()
    devices = [Device(house, place, "--blinds") for place in range(4 * K)]
    crowd(house, devices)
    for device in devices:
        device.stop()
    proxied(house)
    evaluator.stop()
    lines = evaluator.said().splitlines()
    # Devices that ask from a listed proxy's address say no other: that is said once, without them.
    told = [line for line in lines if "listening" not in line]
    check(len(told) <= 1 and all("a listed proxy does not say" in line for line in told), "the evaluator wrote:", lines)
    check(house.stop() == 0, "the daemon stops gracefully")
