"""The oblivious gateway, asked by RFC 9458 and RFC 9292 as they are written in sealed_http.py and here: what is sealed counts as
what is not, once, also when it is recorded and sent again; opt-out signals are those inside; whatever can't be opened or is no
request is refused as the RFCs say. ObliviousGatewayTests see that keys outlive a start."""

import gzip
import json
import secrets
import time

import daemon
from daemon import check, say, until
from sealed_http import Client

PROBLEM = "https://iana.org/assignments/http-problem-types#ohttp-key"
EXPIRES = daemon.expiry(100)


def plan(product, purpose="", metric="", relay=""):
    """Notes that are created and found: what is true of the purpose product, another purpose with its metric, and a relay."""
    facts = "question: What?, decision: That., owner: Team"
    return f"""
app: {{name: notes, title: Notes, owner: Team, contact: a@example.com, audience: 1000{relay}}}
purposes:
  product: {{explanation: To see what is used., rotation: 1 hour, retention: 400 days, {product}}}
{purpose}
dimensions:
  feature: {{title: Feature, field: event, list: [note_created, note_found]}}
metrics:
  use: {{title: Use, events: [note_created, note_found], {facts}, expires: {EXPIRES},
    purpose: product, period: day, dimensions: [feature], contribution_bound: 100000}}
{metric and f"  {metric}, {facts}, expires: {EXPIRES}, period: day}}"}
"""


PLAN = plan("consent: not_required, refused_by: [global_privacy_control]")


def varint(number):
    for length, bits in ((1, 6), (2, 14), (4, 30), (8, 62)):
        if number < 1 << bits:
            return (number | {1: 0, 2: 1, 4: 2, 8: 3}[length] << bits).to_bytes(length, "big")


def prefixed(data):
    return varint(len(data)) + data


def message(method, path, body=b"", fields={}, padding=100):
    """A request of known length, RFC 9292."""
    section = b"".join(prefixed(name.encode()) + prefixed(value.encode()) for name, value in fields.items())
    control = b"".join(prefixed(part) for part in (method.encode(), b"https", b"", path.encode()))
    return b"\0" + control + prefixed(section) + prefixed(body) + b"\0" + bytes(padding)


def padded(raw):
    """With zeros up to the size class."""
    return raw + bytes(next(size for size in (1 << 10, 1 << 12, 1 << 14, 1 << 16) if size >= len(raw)) - len(raw))


def parsed(data):
    """Status, fields and body of a response of known length."""
    place = 0

    def number():
        nonlocal place
        length = 1 << (data[place] >> 6)
        value = int.from_bytes(data[place:place + length], "big") & ~(3 << (8 * length - 2))
        place += length
        return value

    def taken(length):
        nonlocal place
        place += length
        return data[place - length:place]

    check(number() == 1, "a response has another framing")
    status, fields, end = number(), {}, None
    end = number() + place
    while place < end:
        name = taken(number()).decode()
        fields[name] = taken(number()).decode()
    body = taken(number())
    check(not any(data[place:]), "a response's padding is not zero")
    return status, fields, body


class House(daemon.Daemon):
    def keys(self):
        status, headers, body = self.get("/v1/ohttp-keys")
        check(status == 200 and headers["content-type"] == "application/ohttp-keys", "keys:", status, headers)
        check(headers["cache-control"] == "public, max-age=3600", "keys are kept otherwise:", headers)
        length = int.from_bytes(body[:2], "big")
        return {"x25519": body[:2 + length], "p256": body[2 + length:]}

    def outer(self, body, headers={}):
        return self.exchange("POST", "/v1/ohttp", body, {"content-type": "message/ohttp-req", **headers})

    def ask(self, request, kem="x25519", cipher="aes128", headers={}):
        client = Client(self.keys()[kem], kem, cipher, request)
        status, answered, body = self.outer(client.bytes, headers)
        check(status == 200 and answered["content-type"] == "message/ohttp-res", "outside:", status, answered, body)
        check(answered["cache-control"] == "no-store", "an answer may be kept")
        opened = client.open(body)
        check(len(opened) in (1 << 10, 1 << 12, 1 << 14), "an answer has the size", len(opened))
        return parsed(opened)

    def counted(self):
        self.drain()
        return int(self.sql("select coalesce(sum(value), 0) from throng.counter")[0][0])


def batch(events=1, **more):
    now = time.time()
    return json.dumps({
        "app": "notes", "purpose": "product", "window": int(now // 3600), "id": secrets.token_hex(16),
        "batch": secrets.token_hex(16), **more,
        "events": [{"event": "note_created", "at": daemon.instant(now)}] * events}).encode()


def counting(house):
    for number, (kem, cipher) in enumerate((kem, cipher) for kem in ("x25519", "p256") for cipher in ("aes128", "chacha")):
        body = batch(3)
        for attempt in range(2):
            status, fields, answer = house.ask(message("POST", "/v1/batches", body), kem, cipher)
            check((status, fields["content-type"]) == (202, "application/json"), kem, cipher, status, fields)
            check(json.loads(answer) == {"accepted": 3, "refused": []}, answer)
        check(house.post(body)[0] == 202, "the same batch, direct")
        check(house.counted() == 3 * (number + 1), "counted", house.counted())

    # Recorded and sent again, as it was.
    client = Client(house.keys()["x25519"], "x25519", "aes128", message("POST", "/v1/batches", batch(2)))
    answers = [house.outer(client.bytes) for _ in range(3)]
    check({parsed(client.open(each[2]))[0] for each in answers} == {202}, "a replay has another answer")
    check(len({each[2] for each in answers}) == 3, "answers to a replay look the same")
    check(house.counted() == 14, "a replay counted", house.counted())

    # Packed inside; large, so that it is opened off the event loop; padded to another size.
    packed = gzip.compress(batch(1))
    check(house.ask(message("POST", "/v1/batches", packed, {"content-encoding": "gzip"}))[0] == 202, "gzip inside")
    check(house.ask(message("POST", "/v1/batches", batch(1000), padding=300_000))[0] == 202, "a large one")
    strange = house.ask(message("POST", "/v1/batches", batch(1), {"content-encoding": "br"}))
    check(strange[0] == 415, "another encoding inside")
    check(house.counted() == 1015, "counted", house.counted())

    # Signals are the device's, and the relay has none.
    _, _, refused = house.ask(message("POST", "/v1/batches", batch(1), {"sec-gpc": "1"}))
    check(json.loads(refused)["refused"][0]["reason"] == "opted_out", refused)
    _, _, taken = house.ask(message("POST", "/v1/batches", batch(1)), headers={"sec-gpc": "1"})
    check(json.loads(taken)["accepted"] == 1, taken)
    check(house.counted() == 1016, "counted", house.counted())
    say("counted")


def others(house):
    status, fields, plan = house.ask(message("GET", "/v1/plan/notes"))
    direct = json.loads(house.get("/v1/plan/notes")[2])
    check((status, json.loads(plan)) == (200, direct) and fields["etag"], plan)
    check(house.ask(message("GET", "/v1/plan/other"))[0] == 404, "an unknown plan")
    status, _, answer = house.ask(message("POST", "/v1/preview", batch(1)))
    check(status == 200 and json.loads(answer)["events"][0]["counted"], "preview", answer)
    already = house.counted()
    sender = secrets.token_hex(16)
    body = json.loads(batch(1, id=sender))
    house.ask(message("POST", "/v1/batches", json.dumps(body).encode()))
    asking = {name: body[name] for name in ("app", "purpose", "window", "id")}
    status, _, answer = house.ask(message("POST", "/v1/withdraw", json.dumps(asking).encode()))
    check(status == 202 and json.loads(answer)["receipt"], "withdraw", answer)
    # They are taken out once PostgreSQL has what came of them.
    until(lambda: house.counted() == already, "who withdrew is still counted", seconds=300)
    for method, path in (("GET", "/healthz"), ("GET", "/"), ("GET", "/v1/plan/"), ("POST", "/v1/ohttp"), ("PUT", "/v1/batches"),
                         ("POST", "/v1/batchesx"), ("GET", "/v1/batches"), ("POST", "/v1/plan/notes")):
        status, _, answer = house.ask(message(method, path))
        check((status, json.loads(answer)["error"]) == (404, "unknown_path"), method, path, status, answer)

    say("other requests")


def refusals(house):
    client = Client(house.keys()["x25519"], "x25519", "aes128", message("POST", "/v1/batches", batch(1)))
    before = house.counted()
    for name, body in {
            "another key": bytes([client.bytes[0] ^ 0x40]) + client.bytes[1:],
            "another cipher": client.bytes[:6] + b"\2" + client.bytes[7:],
            "a changed byte": client.bytes[:60] + bytes([client.bytes[60] ^ 1]) + client.bytes[61:]}.items():
        status, headers, answer = house.outer(body)
        check((status, headers["content-type"]) == (400, "application/problem+json"), name, status, headers)
        check(json.loads(answer)["type"] == PROBLEM, name, answer)
    for body in (b"", client.bytes[:6], client.bytes[:50]):
        status, headers, answer = house.outer(body)
        check((status, json.loads(answer)["error"]) == (400, "not_encapsulated"), status, answer)
    check(house.outer(client.bytes, {"content-type": "application/json"})[0] == 415, "another type")
    check(house.outer(client.bytes, {"content-encoding": "gzip"})[0] == 415, "packed outside")
    check(house.outer(bytes(5 << 20))[0] == 413, "too large")
    for inner in (b"", b"\1\x40\xc8", message("GET", "v1/plan/notes"), message("GET", "/v1/plan/notes", fields={"DNT": "1"}),
                  message("GET", "/v1/plan/notes", padding=3) + b"\1"):
        status, _, answer = house.ask(inner)
        check((status, json.loads(answer)["error"]) == (400, "not_binary_http"), inner, status, answer)
    check(house.ask(message("POST", "/v1/batches", bytes((1 << 20) + 1)))[0] == 413, "a body too large inside")
    check(house.counted() == before, "something that was refused counted")
    say("refusals")


def test():
    house = House(PLAN, name="notes").start()
    counting(house)
    others(house)
    refusals(house)
    check(house.stop() == 0, "the daemon did not stop in order")
