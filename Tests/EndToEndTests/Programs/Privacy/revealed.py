"""Values of an open vocabulary: one that fewer than k devices have is never learned, stored or shown by anybody; one that
k devices have counts under its name, after a restart, and in what is released. Devices' half is RevealingTests', agreement of several
daemons LabelStoreTests'."""

import hashlib
import hmac
import json
import os
import random
import string
import time

import canary
import daemon
from daemon import check, say, until

K = 5
MOST = 4
ROTATION = daemon.rotation_with_time_left([86400, 23 * 3600, 22 * 3600])

PLAN = f"""
app: {{name: shop, title: Shop, owner: Tests, contact: tests@example.com, audience: 100, threshold: {K}}}
purposes:
  product: {{explanation: To see what is used., consent: not_required, refused_by: [global_privacy_control],
    rotation: {daemon.duration(ROTATION)}, retention: 30 days}}
dimensions:
  query: {{title: Search term, field: query, revealed: {{most: {MOST}}}}}
metrics:
  searches: {{title: Searches, events: [search], question: What is looked for?, decision: None., owner: Tests,
    expires: EXPIRES, purpose: product, dimensions: [query], period: hour, measures: {{reach: true}},
    contribution_bound: 1000}}
insights:
  terms: {{title: Terms, metric: searches, kind: count, by: [query]}}
partners:
  press: {{title: Press, contact: press@example.com}}
reports:
  hourly: {{title: Hourly, partner: press, insights: [terms], period: hour, formats: [json, csv, html]}}
""".replace("EXPIRES", daemon.expiry())


# An hour that is over, so that it can be released at once.
HOUR = int(time.time()) // 3600 * 3600 - 3600
AT = daemon.instant(HOUR + 1800)


def letters(count):
    return "".join(random.choice(string.ascii_letters) for _ in range(count))


# Digits would look personal.
canary.MARK = f"Zq{letters(10)}K"


def new(cage, place):
    """A canary that could be learned."""
    cage.words[place] = f"{canary.MARK} {letters(12)}"
    return cage.words[place]


def window():
    return int(time.time()) // ROTATION


def hashed(value, window=window()):
    """What a device sends of a value, by Python's own hmac."""
    key = hashlib.sha256(f"throng revealed\0shop\0product\0query\0{window}".encode()).digest()
    return "#" + hmac.new(key, value.encode(), hashlib.sha256).hexdigest()[:32]


def search(house, device, *values, raw=False):
    """One device looks for values; the daemon's answer."""
    events = [{"event": "search", "at": AT, "fields": {"query": value if raw else hashed(value)}} for value in values]
    batch = {"app": "shop", "batch": os.urandom(16).hex(), "purpose": "product", "window": window(),
             "id": f"device {device}", "context": {}, "events": events}
    status, _, body = house.post(json.dumps(batch))
    check(status == 202, "a batch was answered with", status, body)
    return json.loads(body)


def reveal(house, value, headers={}, **more):
    """Status and body of POST /v1/reveals."""
    status, _, text = house.post(json.dumps({
        "app": "shop", "purpose": "product", "window": window(), "dimension": "query", "value": value, **more}), headers, path="/v1/reveals")
    return status, json.loads(text)


def asked(answer):
    return [request["hash"] for request in answer.get("reveal", [])]


def crowd(house, value, name="crowd"):
    """Devices look for a value, one after the other, until one is asked for it: how many that took."""
    for number in range(1, 13 * K):
        if asked(search(house, f"{name} {number}", value)) == [hashed(value)]:
            check(number >= K, f"of {number} devices one is asked")
            return number
    check(False, "nobody is asked for a value of many devices")


def counted(house, hours="true"):
    """Events by bucket, as PostgreSQL has them."""
    house.drain()
    labels = json.loads(house.sql("select layout -> 'dimensions' -> 0 -> 'labels' from throng.metric_layout")[0][0])
    names = {int(slot): label for slot, label in house.sql("select slot, label from throng.revealed_label")}
    check(labels[-1] == "other" and len(labels) == MOST + 1, "the layout has slots:", labels)
    check(all(label.startswith("(") for label in labels[:-1]), "no label is in a layout:", labels)
    return {names.get(int(cell), labels[int(cell)]): int(value) for cell, value in house.sql(
        f"select cell, sum(value) from throng.counter where measure = 0 and {hours} group by cell")}


def learned(house):
    return sorted(label for (label,) in house.sql("select label from throng.revealed_label"))


def below_k(house, cage):
    """What four of five devices looked for, however hard anyone tries to reveal it."""
    secret = new(cage, "a value of four devices")
    lone = new(cage, "a value of one device")
    for round in range(4):
        for device in range(K - 1):
            check("reveal" not in search(house, device, secret), "nobody is asked for a value of four devices")
    search(house, 0, lone)
    for value in (secret, lone, new(cage, "a value that nobody sent")):
        status, body = reveal(house, value)
        check((status, body["error"]) == (404, "not_asked"), "a value below k:", status, body)
    # In another window nobody has sent it; its key is not made either.
    keys = canary.window_keys(house)
    check(reveal(house, secret, window=window() - 1)[0] == 404, "a value of another window")
    check(canary.window_keys(house) == keys, "asking makes no window's key")
    # As it is, by careless clients.
    answer = search(house, 9, cage.new("a raw value"), "#" + cage.new("a raw value like a hash"), raw=True)
    check([each["reason"] for each in answer["refused"]] == ["invalid_value"] * 2, "a raw value is refused:", answer)
    say("below k nothing is learned, whoever says it")
    # The canaries, and the hash under which they travelled.
    for value in (secret, lone):
        for spelling in (hashed(value)[1:], hashed(value)[1:].upper()):
            cage.needles[spelling.encode()] = "a hash below k"
            cage.needles[bytes.fromhex(spelling)] = "a hash below k, as bytes"
    house.drain()
    canary.expect_nothing(cage, house, "values below k")


def at_k(house):
    crowd(house, "apple pie")
    before = counted(house)
    answer = search(house, "one more", "apple pie", "apple pie")
    check(asked(answer) == [hashed("apple pie")], "who comes later is asked, once:", answer)
    check(answer["reveal"][0]["probability"] == 3 / K and answer["reveal"][0]["dimension"] == "query", answer)
    check(asked(search(house, 0, "apple pie")) == [hashed("apple pie")], "and so is everyone who sends it later")
    # A device that lies: another value, whose hash has no devices.
    check(reveal(house, "apple tart")[0] == 404, "a lie is not learned")
    check(reveal(house, "apple pie", {"sec-gpc": "1"})[0] == 403, "an opt-out signal that the purpose honours")
    check(learned(house) == [], "nothing is learned yet")
    check(reveal(house, "apple pie") == (202, {}), "the value is taken")
    check(learned(house) == ["apple pie"], "and learned")
    check("reveal" not in search(house, 1, "apple pie"), "nobody is asked any more")
    after = counted(house)
    check(after["other"] == before["other"] + 3, "what came before stays in other:", before, after)
    check(after["apple pie"] == 1, "what comes later counts under its name:", after)
    check(reveal(house, "apple pie") == (202, {}), "it may be said again")
    events = json.loads(house.post(json.dumps({"app": "shop", "purpose": "product", "events": [
        {"event": "search", "at": AT, "fields": {"query": hashed(value)}} for value in ("apple pie", "tart")]}), path="/v1/preview")[2])["events"]
    check([event["counted"][0]["buckets"] for event in events] == [{"query": "apple pie"}, {"query": "other"}], events)
    say("from k on a device is asked, and the value counts under its name from then on")


def restart(house):
    """kill -9: labels are there again, who was counted for a hash is not."""
    enough = crowd(house, "tart")
    house.drain()
    house.kill()
    house.start()
    before = counted(house)
    check("reveal" not in search(house, 0, "apple pie"), "the label is known after a restart")
    check("reveal" not in search(house, "crowd 1", "tart"), "who sent a hash before a restart is forgotten")
    after = counted(house)
    check(after["apple pie"] == before["apple pie"] + 1 and after["other"] == before["other"] + 1, before, after)
    check(crowd(house, "tart") == enough, "it is asked for a little later, after as many devices")
    check(reveal(house, "tart") == (202, {}), "and learned")
    say("a restart delays what is learned, and nothing else")


class Second(daemon.Daemon):
    """A daemon of its own on another's PostgreSQL."""

    def __init__(self, first):
        super().__init__(PLAN)
        self.first = first

    def arguments(self):
        return [*super().arguments(), "--database", f"host={self.first.data}/postgres user=postgres dbname=throng"]


def two_daemons(house):
    """What one has learned reaches the other by itself."""
    other = Second(house).start()
    crowd(house, "cake")
    check(reveal(house, "cake") == (202, {}), "the first learns one more")
    until(lambda: other.metrics()['throng_revealed_labels{app="shop",dimension="query"}'] >= 3, "the second has not heard of it")
    check(other.stop() == 0, "the second stops gracefully")
    other.clean()
    say("what one daemon learns another knows")


def released(house, cage):
    """The hour is released: labels are rows, in reports and in analysts' view; values below k are nowhere."""
    for device in range(40):
        search(house, f"late {device}", *["apple pie"] * (1 + device % 3), *(["tart"] if device % 2 else []))
    expected = counted(house, f"period_start = to_timestamp({HOUR})")
    house.release()
    hour = time.strftime("%Y-%m-%dT%H:00", time.gmtime(HOUR))
    out = os.path.join(house.folder, "reports")
    house.command("report", "--plan", house.plan, "--data", house.data, "--period", hour, "--out", out)
    name = next(name for name in os.listdir(out) if name.endswith(".json"))
    rows = json.loads(daemon.read(out, name))["insights"][0]["rows"]
    check([row["buckets"] for row in rows] == [["apple pie"], ["cake"], ["tart"], ["other"]], rows)
    published = {row["buckets"][0]: int(row["value"]) for row in rows if row["status"] == "published"}
    check("apple pie" in published, "the crowd's value is published:", rows)
    seen = {bucket: int(events) for bucket, events in house.sql(
        f"select query, events from analyst.shop_searches"
        f" where withheld is null and period_start = to_timestamp({HOUR})")}
    check({key: value for key, value in seen.items() if key != "(all)"} == published, seen, published)
    check(all(expected[bucket] == int(value) for bucket, value in published.items()), expected, published)
    talk = house.command("release", "explain", "searches", hour, "query=apple pie", "--plan", house.plan, "--data", house.data)
    check("published" in talk, "throng release explain:", talk)
    say("labels are what is released; values below k are nowhere")


def test():
    house = daemon.Daemon(PLAN, log="trace").start()
    cage = canary.Cage()
    below_k(house, cage)
    at_k(house)
    restart(house)
    two_daemons(house)
    released(house, cage)
    canary.expect_nothing(cage, house, "at the end")
    check(house.stop() == 0, "serve stops gracefully")
