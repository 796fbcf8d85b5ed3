"""Who may send: keys that are revoked while the daemon runs, secrets of backends, and how much one network brings, by the PROXY
protocol. Nothing of keys, secrets and networks is in a log, in the journal or in PostgreSQL."""

import json
import os
import socket
import statistics
import sys
import time

import daemon
import shop
from daemon import check, say
from raw_http import Line, proxied, request

sys.path[:0] = [os.path.join(daemon.ROOT, "Deploy", "clients", "python"), os.path.join(daemon.ROOT, ".build", "schemathesis")]
from described import SENDERS, Description  # noqa: E402
from throng_client import Client  # noqa: E402

DESCRIBED = Description(json.loads(daemon.read(daemon.ROOT, "Sources", "ThrongServer", "Web", "openapi.json")))

NETWORK = "203.0.113."
PLAN = shop.plan().replace("threshold: 5}", "threshold: 5, keys: required}").replace(
    "  marketing:", "  orders: {explanation: To know what is sold., consent: not_required, senders: backends,\n"
    f"    rotation: {daemon.duration(shop.ROTATION)}, retention: 30 days}}\n  marketing:").replace(
    "  visits:", "  sales: {title: Sales, events: [sale], question: What is sold?, decision: None., owner: Tests,\n"
    "    expires: EXPIRES, purpose: orders, dimensions: [channel], period: day, contribution_bound: 1000}\n  visits:").replace(
    "EXPIRES", daemon.expiry())


def key(house, *words):
    code, out, err = daemon.run("app", "key", *words, "--data", house.data)
    check(code == 0, "throng app key", words, "ends with", code, err)
    return out.strip()


def sent(house, body, **headers):
    """Status and word of the refusal."""
    status, answered, text = house.post(json.dumps(body), {name.replace("_", "-"): value for name, value in headers.items()})
    DESCRIBED.check("POST", "/v1/batches", status, answered, text)
    return status, json.loads(text).get("error"), answered


# How long each change of the file of keys took to be in force. Unit: seconds.
WAITED = []


def until(step):
    began = time.monotonic()
    daemon.until(step, "a change of the file of keys is never in force", seconds=30, pause=0.05)
    WAITED.append(time.monotonic() - began)


def keys(house):
    first, second = (key(house, "new", "shop", "--name", name) for name in ("ios", "ios 2"))
    until(lambda: sent(house, shop.batch("a", key=second))[0] == 202)
    check(sent(house, shop.batch("b", key=first))[0] == 202, "a good key is refused")
    check(sent(house, shop.batch("c"))[:2] == (403, "key_required"), "without a key it counts")
    check(sent(house, shop.batch("c", key=first + "0"))[:2] == (403, "unknown_key"), "by an invented key it counts")
    listed = json.loads(key(house, "list", "shop", "--json"))
    check([entry["key"] for entry in listed] == [first, second], "the list has", listed)
    house.drain()
    before = shop.counted(house)
    check(before == 2, "there are", before)
    key(house, "revoke", "shop", listed[0]["id"])
    revoked = time.monotonic()
    # Of a window that is over: nothing counts meanwhile.
    until(lambda: sent(house, shop.batch("a", key=first, window=1))[1] == "revoked_key")
    say(f"a revoked key is refused {time.monotonic() - revoked:.2f} s after the command")
    for identifier in "bdefgh":
        check(sent(house, shop.batch(identifier, key=first))[:2] == (403, "revoked_key"), "a revoked key counts")
    check(sent(house, shop.batch("a", key=second))[0] == 202, "another key is refused with it")
    house.drain()
    check(shop.counted(house) == before + 1, "a revoked key's batches changed a counter")
    asking = {"app": "shop", "purpose": "product", "window": shop.window(), "id": "b"}
    check(house.post(json.dumps(asking), path="/v1/withdraw")[0] == 202, "who has a revoked key can't take back")
    client = Client(f"http://127.0.0.1:{house.port}", "shop", os.path.join(house.folder, "client"), key=second)
    client.record("view", {"channel": "email"})
    client.send()
    client.close()
    house.drain()
    check(client.waiting == 0 and shop.counted(house) >= before + 1, "the Python client's key is refused")
    # Damaged, the file changes nothing that is in force.
    path = os.path.join(house.data, "app-keys")
    check(os.stat(path).st_mode & 0o777 == 0o600, "others may read the keys")
    kept = daemon.read(path)
    daemon.write(path, "{")
    until(lambda: "the former ones stay in force" in house.log_text())
    check(sent(house, shop.batch("a", key=second))[0] == 202, "a damaged file turns everybody away")
    check(sent(house, shop.batch("b", key=first))[0] == 403, "a damaged file lets everybody in")
    reads = house.log_text().count("read anew")
    daemon.write(path, kept)
    until(lambda: house.log_text().count("read anew") > reads)
    return first, second


def backends(house):
    secret = key(house, "new", "shop", "--name", "orders", "--backend")
    batch = lambda: shop.batch("order", purpose="orders", events=[shop.event("sale")])  # noqa: E731
    until(lambda: sent(house, batch(), authorization=f"Bearer {secret}")[0] == 202)
    status, word, headers = sent(house, batch())
    check((status, word, headers.get("www-authenticate")) == (401, "secret_required", "Bearer"), status, word, headers)
    check(sent(house, batch(), authorization="Bearer x")[:2] == (401, "unknown_secret"), "a wrong secret is good")
    # Rotation: two are good, the third is not made.
    second = key(house, "new", "shop", "--name", "orders", "--backend")
    code, _, err = daemon.run("app", "key", "new", "shop", "--name", "orders", "--backend", "--data", house.data)
    check(code == 1 and "Revoke one first" in err, "a third secret is made", err)
    until(lambda: sent(house, batch(), authorization=f"Bearer {second}")[0] == 202)
    first = [entry for entry in json.loads(key(house, "list", "shop", "--json")) if entry["kind"] == "backend"][0]
    key(house, "revoke", "shop", first["id"])
    until(lambda: sent(house, batch(), authorization=f"Bearer {secret}")[:2] == (401, "unknown_secret"))
    check(sent(house, batch(), authorization=f"Bearer {second}")[0] == 202, "the second one went, too")
    # The Python client as a backend.
    client = Client(f"http://127.0.0.1:{house.port}", "shop", os.path.join(house.folder, "backend"), secret=second)
    client.record("sale", {"channel": "direct"})
    client.send()
    check(client.waiting == 0, "the Python client's secret is refused")
    client.close()
    text = daemon.read(house.data, "app-keys")
    for each in (secret, second):
        check(each not in text and each[3:] not in text, "a secret is kept as it is")
    say("two secrets are good at a time, one after another, and neither is kept")
    return secret, second


class Behind(daemon.Daemon):
    """A daemon whose clients come by a listed proxy."""

    def get(self, path, headers={}, port=None):
        if port:
            return super().get(path, headers, port)
        return self.ask("127.0.0.1", request("GET", path))

    def ask(self, address, text):
        with Line(self.port) as line:
            line.socket.sendall(proxied(address) + text)
            return line.answer()


def forged(house, ask):
    """Statuses of 19 forged devices from one network, then of one that is somewhere else."""
    found = []
    for number in range(20):
        address = f"{NETWORK}{number}" if number < 19 else "198.51.100.7"
        body = json.dumps(shop.batch(f"forged {number}", events=[shop.event(fields={"channel": "direct"})])).encode()
        found.append(ask(address, body))
        DESCRIBED.check("POST", "/v1/batches", *found[-1])
    house.drain()
    return found


def networks():
    """One network brings so many identifiers in a window, known by a proxy's word; nobody else's word counts."""
    for limit, expected in (("5", [202] * 5 + [429] * 14 + [202]), ("0", [202] * 20)):
        house = Behind(shop.plan(), log="trace", THRONG_INTAKE_PROXIES="127.0.0.1", THRONG_INTAKE_NETWORK_IDENTIFIERS=limit).start()
        found = forged(house, lambda address, body: house.ask(address, request("POST", "/v1/batches", body)))
        check([status for status, _, _ in found] == expected, "of 19 from one network", [each[0] for each in found])
        if limit == "5":
            refused = found[5]
            check(json.loads(refused[2])["error"] == "network_quota", refused)
            check(0 < int(refused[1]["retry-after"]) <= 86400, "it says to come again in", refused[1])
            check(house.metrics()['throng_batches_refused_total{reason="network_quota"}'] == 14, "the metric has less")
            check(shop.devices(house) == 6, "PostgreSQL knows", shop.devices(house), "devices")
            canary(house, [])
            house.stop()
            check("batches of networks that bring too much at once" in house.log_text(), "the log says nothing of them")
            house.start()
            body = json.dumps(shop.batch("after")).encode()
            check(house.ask(NETWORK + "1", request("POST", "/v1/batches", body))[0] == 202, "a restart remembers networks")
        check(house.stop() == 0, "serve does not stop in order")
    say("nineteen from one network are five; ForwardedForTests see the same by X-Forwarded-For, and that nobody else is believed")


def canary(house, words):
    """Nothing of it is in a log or in the data directory, but for keys in their own file."""
    packed = socket.inet_aton(NETWORK + "0")[:3]
    texts = [NETWORK.encode(), "198.51.100.".encode(), *(word.encode() for word in words)]
    found = []
    for folder, _, files in os.walk(house.folder):
        for name in files:
            path = os.path.join(folder, name)
            if name in ("app-keys",) or folder.endswith(("client", "backend")):
                continue
            try:
                data = daemon.read_bytes(path)
            except OSError:
                continue
            found += [(path, text) for text in texts if text in data]
            # As bytes an address is three that anything may be: only where there is no large file of others.
            if "/journal/" in path or name == "daemon.log":
                found += [(path, packed)] * (packed + b"\x00" in data)
    check(not found, "written down:", found[:5])


def test():
    house = daemon.Daemon(PLAN, log="trace").start()
    words = [*keys(house), *backends(house)]
    # One of them may meet a moment at which the machine has no time.
    check(statistics.median(WAITED) < 2, "a change of the file of keys should be in force within a second, and took", WAITED)
    canary(house, words)
    house.stop()
    house.start()
    check(sent(house, shop.batch("a", key=words[0]))[1] == "revoked_key", "a restart makes a revoked key good")
    check(sent(house, shop.batch("a", key=words[1]))[0] == 202, "a restart forgets a key")
    check(house.stop() == 0, "serve does not stop in order")
    networks()
    check(SENDERS <= DESCRIBED.provoked, "not provoked:", SENDERS - DESCRIBED.provoked)
