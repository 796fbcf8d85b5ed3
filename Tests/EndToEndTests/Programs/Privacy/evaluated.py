"""Values of an open vocabulary that somebody else evaluates before devices hash them: what they sent can't be guessed, values
are learned all the same, and without the evaluator nothing of a value leaves a device."""

import atexit
import base64
import hashlib
import hmac
import http.client
import json
import os
import random
import re
import stat
import subprocess
import time

import daemon
import relays
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
""".replace("EXPIRES", time.strftime("%Y-%m-%d", time.gmtime(time.time() + 200 * 86400)))
PRIME = 2**256 - 2**224 + 2**192 + 2**96 - 1
B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B


class Evaluator:
    """One of them, with a key in a folder of its own."""

    def __init__(self, folder, hourly=1_000_000, port=None):
        os.makedirs(folder, exist_ok=True)
        self.file, self.log_path = os.path.join(folder, "evaluator.key"), os.path.join(folder, "log")
        self.hourly, self.port = hourly, port or daemon.free_ports(1)[0]
        self.key = subprocess.run(
            [daemon.BINARY, "evaluator", "--public-key", "--key", self.file], check=True, capture_output=True,
            text=True).stdout.strip()
        atexit.register(lambda: self.process and self.process.kill())

    process = None

    def start(self):
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                [daemon.BINARY, "evaluator", "--key", self.file, "--listen", f"127.0.0.1:{self.port}",
                 "--hourly", str(self.hourly)], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        deadline = time.monotonic() + 60
        while True:
            try:
                check(self.ask(b"", "GET", "/healthz")[0] == 200, "it is alive")
                return self
            except OSError:
                check(self.process.poll() is None and time.monotonic() < deadline, "no evaluator:", self.said())
                time.sleep(0.05)

    def ask(self, body, method="POST", path="/v1/evaluations", headers={}):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def said(self):
        with open(self.log_path) as file:
            return file.read()

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


def hashes(sent):
    return re.findall(r"#+[0-9a-f]{32}", json.dumps([each for each in sent if "events" in each]))


def window():
    return int(time.time()) // ROTATION


def plain(value):
    """The hash of a device whose plan has no evaluator, which anybody can make of a guess."""
    key = hashlib.sha256(f"throng revealed\0shop\0product\0query\0{window()}".encode()).digest()
    return "#" + hmac.new(key, value.encode(), hashlib.sha256).hexdigest()[:32]


def evaluated(value, output, key):
    """The hash of a value with what is said to be the evaluator's output."""
    text = f"throng evaluated\0shop\0product\0query\0{window()}\0{key}"
    return "##" + hmac.new(
        hashlib.sha256(text.encode()).digest(), output + value.encode(), hashlib.sha256).hexdigest()[:32]


def learned(house):
    return [label for (label,) in house.sql("select label from throng.revealed_label order by 1")]


def counted(house, label):
    house.drain()
    return int(house.sql(f"""
        select coalesce(sum(value), 0) from throng.counter as c
        join throng.revealed_label as l on l.slot = c.cell and l.label = '{label}' where c.measure = 0""")[0][0])


def key(evaluator):
    again = Evaluator(os.path.dirname(evaluator.file))
    check(len(evaluator.key) == 44 and again.key == evaluator.key, "the key is made once:", evaluator.key, again.key)
    check(stat.S_IMODE(os.stat(evaluator.file).st_mode) == 0o600, "its file is its owner's")
    os.chmod(evaluator.file, 0o644)
    exposed = subprocess.run(
        [daemon.BINARY, "evaluator", "--public-key", "--key", evaluator.file], capture_output=True, text=True)
    check(exposed.returncode == 1 and "644" in exposed.stderr, "a key that others can read:", exposed)
    os.chmod(evaluator.file, 0o600)
    say("the evaluator's key is made once, for its owner's eyes")


def crowd(house, evaluator, devices):
    """Devices look for one value: none of it can be guessed, one says it, and it counts under its name."""
    sent, said = [], []
    for _ in range(2):
        for device in devices:
            left = device.search("apple pie")
            check(all("apple" not in json.dumps(each) for each in left if "events" in each), "a batch has no value")
            sent += hashes(left)
            said += [each for each in left if "value" in each]
    check(len(set(sent)) == 1 and len(sent) == 2 * len(devices) and sent[0].startswith("##"), "one hash:", set(sent))
    check(said and learned(house) == ["apple pie"], "one of them said it:", said)
    check(all(set(each) == {"app", "dimension", "output", "purpose", "value", "window"} for each in said), said)
    check(counted(house, "apple pie") >= len(devices), "it counts under its name:", counted(house, "apple pie"))
    output = said[0]["output"]
    check([output] == [text for (text,) in house.sql("select output from throng.revealed_label")], "its output is kept")
    # Whoever has all that came to the daemon, and ten thousand words with the value among them.
    words = [f"word {number}" for number in range(9_999)] + ["apple pie"]
    check(not [word for word in words if plain(word) in sent], "a plain guess fits")
    guesses = [bytes(32), hashlib.sha256(b"apple pie").digest()]
    found = [word for word in words for guess in guesses if evaluated(word, guess, evaluator.key) in sent]
    check(not found, "a guess without the evaluator fits:", found)
    # The control: with what a device said, which it asked the evaluator for, it is found.
    known = base64.urlsafe_b64decode(output + "=")
    check([word for word in words if evaluated(word, known, evaluator.key) in sent] == ["apple pie"], "the search works")
    say(f"{len(devices)} devices' value is learned, and ten thousand guesses fit none of what they sent")


def absent(house, evaluator):
    """Without an evaluator, with another's key, or without what blinds, nothing leaves; the app goes on."""
    def nothing(device, why):
        left = device.search("plum cake")
        check(len(left) == 1 and not hashes(left) and "plum" not in json.dumps(left), why, left)
        device.stop()

    nothing(Device(house, "without blinding"), "without blinding")
    evaluator.stop()
    nothing(Device(house, "without evaluator", "--blinds"), "without evaluator")
    other = Evaluator(os.path.join(house.folder, "other"), port=evaluator.port).start()
    check(other.key != evaluator.key, "another key")
    nothing(Device(house, "with another's key", "--blinds"), "with another's key")
    other.stop()
    evaluator.start()
    device = Device(house, "with the evaluator", "--blinds")
    check(len(hashes(device.search("plum cake"))) == 1, "with it again")
    device.stop()
    say("without the plan's evaluator nothing of a value leaves, and events count")


def proxied(house):
    """By the relays that are shipped: what is well formed is answered, and one network has so many an hour."""
    stock_proxies.certificate(house.folder, relays.NAME)
    authority = os.path.join(house.folder, "cert.pem")
    for kind in ("nginx", "haproxy"):
        evaluator = Evaluator(os.path.join(house.folder, kind), hourly=24).start()
        relay = relays.Relay(kind, daemon.free_ports(1)[0], authority, evaluator.port)

        def ask(body, method="POST", headers={}):
            connection = http.client.HTTPConnection("127.0.0.1", timeout=10)
            connection.sock = relay.connect()
            try:
                connection.request(method, "/v1/evaluations", body, headers)
                response = connection.getresponse()
                return response.status, response.read()
            finally:
                connection.close()

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
    with open(house.plan, "w") as file:
        file.write(PLAN.replace(
            "EVALUATOR", f"evaluator: {{url: 'http://127.0.0.1:{evaluator.port}', key: {evaluator.key}}}"))
    key(evaluator)
    evaluator.start()
    house.start()
    devices = [Device(house, place, "--blinds") for place in range(4 * K)]
    crowd(house, evaluator, devices)
    for device in devices:
        device.stop()
    absent(house, evaluator)
    proxied(house)
    evaluator.stop()
    lines = evaluator.said().splitlines()
    check(all("listening" in line for line in lines), "the evaluator wrote:", lines)
    check(house.stop() == 0, "the daemon stops gracefully")


if __name__ == "__main__":
    daemon.main(test)
