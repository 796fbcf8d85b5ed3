"""The Python client keeps every requirement of `throng conform`, each mutant of it breaks one that is named, and a real daemon
counts what it records exactly."""

import concurrent.futures
import hashlib
import hmac
import json
import os
import sys
import tempfile

import client_mutants
import daemon
import shop
from daemon import Failure, check, say, until

CLIENT = os.path.join(daemon.ROOT, "Deploy", "clients", "python")
sys.path.insert(0, CLIENT)
import throng_buckets  # noqa: E402
import throng_client  # noqa: E402


def vectors():
    """The client does what Deploy/conform/vectors.json says; VectorTests hold Swift against the same file."""
    with open(os.path.join(daemon.ROOT, "Deploy", "conform", "vectors.json"), encoding="utf-8") as file:
        document = json.load(file)
    count = 0
    for each in document["buckets"]:
        for case in each["values"]:
            found = throng_buckets.bucket(each["rule"], each["labels"], case["value"])
            check(found == case["label"], each["dimension"], repr(case["value"]), "lands in", found, "not", case["label"])
            check(throng_buckets.bucket(each["rule"], each["labels"], found) == found, "a label stays:", found)
            count += 1
    for each in document["identifiers"]:
        found = throng_client.identifier(bytes.fromhex(each["secret"]), each["purpose"], each["window"])
        check(found == each["identifier"], each, found)
    for each in document["windows"]:
        check(each["unix"] // each["rotation_seconds"] == each["window"], each)
    for each in document["hashes"]:
        text = "\0".join(["throng revealed", each["app"], each["purpose"], each["dimension"], str(each["window"])])
        code = hmac.new(hashlib.sha256(text.encode()).digest(), each["value"].encode(), hashlib.sha256).hexdigest()
        check(each["hash"] == "#" + code[:32], each)
    say(f"{count} values land where the vectors say")


def conform(*command):
    """The exit code, and the requirements by whether they are kept."""
    code, out, talk = daemon.run("conform", sys.executable, *command, seconds=300)
    kept = {line.split()[1].rstrip(":"): line.startswith("kept") for line in out.splitlines() if line[:1] != " "}
    return code, kept, out + talk


def conformance():
    code, kept, words = conform(os.path.join(CLIENT, "conform.py"))
    check(code == 0 and len(kept) == 16 and all(kept.values()), "the client conforms:", code, words)
    say(f"the client keeps {len(kept)} requirements")
    wrong = []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        programs = [(kind, client_mutants.__file__, kind.__name__) for kind in client_mutants.BREAKS]
        for (kind, *_), (code, kept, words) in zip(programs, pool.map(lambda each: conform(*each[1:]), programs)):
            if code != 1 or kept.get(client_mutants.BREAKS[kind]) is not False:
                wrong.append((kind.__name__, code, client_mutants.BREAKS[kind], words[-1500:]))
    check(not wrong, "mutants pass:", *wrong)
    say(f"{len(client_mutants.BREAKS)} mutants break what they are said to break")
    # A program that ends, one that says something else, and one that is not there.
    for command, word in ((["-c", "pass"], "ended"), (["-c", "input(); print('no')"], "another line"),
                          (["/nowhere.py"], "ended")):
        code, _, words = conform(*command)
        check(code == 1 and word in words, command, code, words)


def real(folder):
    """A daemon with PostgreSQL, killed in between: everything is there once, and what is taken back is gone."""
    house = daemon.Daemon(shop.plan()).start()
    address = f"http://127.0.0.1:{house.port}"

    def client(name):
        return throng_client.Client(address, "shop", os.path.join(folder, name))

    devices = [client(f"device {number}") for number in range(12)]
    for device in devices:
        device.record("view", {"channel": "email"})
        device.set_consent("marketing", True)
        device.record("visit", {"channel": "direct"})
        device.record("teleport")
        check(device.send() is None and device.waiting == 0, "all is answered")
    try:
        client("device 0")
        raise Failure("two clients have one folder")
    except BlockingIOError:
        pass
    house.kill()
    for device in devices:
        device.record("purchase", {"channel": "pigeon", "amount": "24.9"})
        check(device.send() > 0 and device.waiting == 1, "without a daemon it waits")
        device.close()
    house.start()
    for number in range(12):
        device = client(f"device {number}")
        # The pause of the attempt that failed is not waited for here.
        device._state["patience"].clear()
        check(device.send() is None and device.waiting == 0, "after another start all is answered")
        if number < 5:
            device.set_consent("marketing", False)
            device.send()
        seen = device.preview("purchase", {"amount": 7})["product"]["events"][0]["counted"]
        check(seen[0]["metric"] == "purchases" and seen[0]["sums"] == {"paid": 7}, "a preview:", seen)
        device.close()
    house.drain()
    found = [shop.counted(house, metric) for metric in ("views", "purchases")]
    check(found == [12, 12], "counted:", found)
    check(shop.devices(house) == 12, "each device once:", shop.devices(house))
    until(lambda: shop.counted(house, "visits") == 7, "five of twelve took it back:", lambda: shop.counted(house, "visits"),
          seconds=400)
    check(house.stop() == 0, "serve stops gracefully")
    say("a real daemon counts it exactly, through kill -9 and withdrawals")


def rules(folder):
    """What a client refuses by itself."""
    for address in ("http://count.example.com", "ftp://127.0.0.1", "count.example.com"):
        try:
            throng_client.Client(address, "shop", os.path.join(folder, "nobody"))
        except ValueError:
            continue
        raise Failure("a client speaks to", address)
    mode = os.stat(os.path.join(folder, "device 0", "state.json")).st_mode & 0o777
    check(mode == 0o600, "others can read its state:", oct(mode))


def test():
    vectors()
    conformance()
    with tempfile.TemporaryDirectory() as folder:
        real(folder)
        rules(folder)


if __name__ == "__main__":
    daemon.main(test)
