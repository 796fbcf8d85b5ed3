"""Two daemons with real PostgreSQLs: one meets people who withdraw, and is killed again and again; its twin never meets them.

What either holds of periods that are not released is the same, row by row.
"""

import hashlib
import http.client
import json
import random
import secrets
import time

import daemon
from daemon import check, say

EVENTS = ["buy", "look"]


EXPIRES = time.strftime("%Y-%m-%d", time.gmtime(time.time() + 100 * 86400))


def plan(rotation):
    return f"""
# Longer than two windows of any rotation that leaves enough time.
app: {{name: shop, title: Shop, owner: Team, contact: a@example.com, audience: 1000, grace: 49 hours}}
purposes:
  product: {{explanation: To sell., consent: not_required, rotation: {daemon.duration(rotation)}, retention: 400 days}}
dimensions:
  os: {{title: System, field: os, list: [iOS, Android], partitions: devices}}
  page: {{title: Page, field: page, list: [home, cart]}}
metrics:
  revenue:
    {{title: Revenue, events: [buy], question: What?, decision: That., owner: Team, expires: {EXPIRES}, purpose: product,
    period: day, dimensions: [os, page],
    measures: {{sums: {{paid: {{field: paid, from: -50, to: 500, decimals: 0, unit: EUR}}}}}}}}
  views:
    {{title: Views, events: [look, buy], question: What?, decision: That., owner: Team, expires: {EXPIRES}, purpose: product,
    period: hour, dimensions: [page], contribution_bound: 20}}
  often:
    {{title: How often, events: [look], question: What?, decision: That., owner: Team, expires: {EXPIRES}, purpose: product,
    period: day, measures: {{frequency: {{bands: [1, 2, 5]}}}}}}
"""


class House(daemon.Daemon):
    def withdraw(self, identifier, window, purpose="product", **more):
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        body = {"app": "shop", "purpose": purpose, "window": window, "id": identifier, **more}
        line.request("POST", "/v1/withdraw", json.dumps(body), {"content-type": "application/json"})
        answer = line.getresponse()
        found = answer.status, dict(answer.getheaders()), answer.read()
        line.close()
        return found

    def rows(self):
        """What is counted, under names that both daemons share."""
        named = "join throng.metric_layout as l on l.metric_id = t.metric_id"
        return {
            "counters": self.sql(f"""select l.layout ->> 'metric', t.period_start, t.measure, t.cell, t.value
                from throng.counter as t {named} order by 1, 2, 3, 4"""),
            "identifiers": self.sql(f"""select l.layout ->> 'metric', t.period_start, t.margin, t.cell, t.window_number,
                t.devices from throng.distinct_count as t {named} order by 1, 2, 3, 4, 5"""),
            "largest": self.sql(f"""select l.layout ->> 'metric', t.period_start, t.margin, t.cell, t.measure,
                t.window_number, t.largest, t.second_largest from throng.top_contribution as t {named}
                order by 1, 2, 3, 4, 5, 6"""),
            "coverage": self.sql("select hour, kind, events from throng.coverage where events <> 0 and kind <> 'opted_out' "
                                 "order by 1, 2"),
        }


def batches(chance, who, window):
    """What a person's device sends in the window, oldest first."""
    system = chance.choice(["iOS", "Android", "BeOS"])
    found = []
    for _ in range(chance.randint(1, 4)):
        events = []
        for _ in range(chance.randint(1, 5)):
            fields = {"page": chance.choice(["home", "cart", "till"])}
            name = chance.choice(EVENTS)
            if name == "buy":
                fields |= {"os": system, "paid": chance.randint(-80, 600)}
            events.append({
                "event": name, "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - chance.randint(0, 5400))),
                "count": chance.randint(1, 3), "fields": fields})
        if chance.random() < 0.2:
            events.append({"event": "nothing", "at": events[0]["at"], "fields": {}})
        found.append({
            "app": "shop", "batch": secrets.token_hex(16), "purpose": "product", "window": window, "id": who,
            "events": events})
    return found


def persist(house, chance, act):
    """Does something until it is acknowledged; sometimes the daemon is killed meanwhile."""
    for _ in range(40):
        if chance.random() < 0.04:
            house.kill()
            house.start()
        try:
            status, _, body = act()
        except OSError:
            continue
        if status == 202:
            if chance.random() < 0.03:
                house.kill()
                house.start()
            return json.loads(body)
        check(status == 503, "answered", status, body)
        time.sleep(0.1)
    raise daemon.Failure("nothing is acknowledged\n" + house.log_text()[-3000:])


def forged(house, window):
    """What nobody may do by it."""
    status, _, body = house.withdraw("00" * 16, window)
    known = json.loads(body)
    check(status == 202 and list(known) == ["receipt"] and len(known["receipt"]) == 32, "a stranger is told", status, body)
    for body, code in (
            ({"purpose": "nothing"}, 422), ({"app": "nothing"}, 404), ({"window": window - 5}, 422), ({"id": ""}, 400),
            ({"more": 1}, 400)):
        status, _, answer = house.withdraw("00" * 16, window, **body) if "more" in body else house.withdraw(
            **{"identifier": body.get("id", "00" * 16), "window": body.get("window", window)},
            **{name: value for name, value in body.items() if name in ("purpose", "app")})
        check(status == code, body, "is answered by", status, answer)


def test():
    rotation = daemon.rotation_with_time_left([3600, 7200, 86400])
    window = int(time.time()) // rotation
    chance = random.Random(secrets.randbits(64))
    people = {secrets.token_hex(16): None for _ in range(70)}
    for who in people:
        people[who] = batches(chance, who, window)
    # The largest sums are theirs, so that who leads has to be worked out again.
    going = chance.sample(list(people), 14)
    for who in going[:4]:
        for batch in people[who]:
            for event in batch["events"]:
                if event["event"] == "buy":
                    event |= {"count": 3, "fields": event["fields"] | {"paid": 500}}
    house = House(plan(rotation)).start()
    forged(house, window)
    todo = [(chance.random() + place, batch) for who in people for place, batch in enumerate(people[who])]
    asked, late = {}, 0
    for _, batch in sorted(todo, key=lambda each: each[0]):
        answer = persist(house, chance, lambda: house.post(json.dumps(batch)))
        if batch["id"] in asked:
            late += 1
            check(answer["accepted"] == 0 and {each["reason"] for each in answer["refused"]} == {"opted_out"},
                  "who withdrew counts on:", answer)
        remaining = [who for who in going if who not in asked]
        if remaining and chance.random() < 0.12:
            who = remaining[0]
            asked[who] = persist(house, chance, lambda: house.withdraw(who, window))["receipt"]
    for who in going:
        receipt = persist(house, chance, lambda: house.withdraw(who, window))["receipt"]
        check(asked.setdefault(who, receipt) == receipt, "a receipt changes")
    check(len(set(asked.values())) == len(asked), "two share a receipt")
    say(len(asked), "withdrew,", late, "batches of theirs came later")
    status, _, body = house.post(json.dumps(people[going[0]][0]))
    check(status == 202, "a batch that comes again is answered", status, body)

    twin = House(plan(rotation)).start()
    for who in people:
        for batch in people[who] if who not in asked else []:
            check(twin.post(json.dumps(batch))[0] == 202, "the twin does not count")
    twin.drain()
    expected = twin.rows()
    deadline = time.monotonic() + 60
    while True:
        house.drain()
        found = house.rows()
        if found == expected or time.monotonic() > deadline:
            break
        time.sleep(0.5)
    for name in expected:
        missing = [row for row in expected[name] if row not in found[name]]
        more = [row for row in found[name] if row not in expected[name]]
        check(found[name] == expected[name], name, "differ: missing", missing[:5], "more", more[:5])
        check(len(expected[name]) > 1, "there is nothing to compare in", name)
    say("nothing is left of them, and everything of all others:", {name: len(rows) for name, rows in expected.items()})
    digest = hashlib.sha256(json.dumps(expected).encode()).hexdigest()
    house.kill()
    house.start()
    time.sleep(2)
    house.drain()
    check(hashlib.sha256(json.dumps(house.rows()).encode()).hexdigest() == digest, "another start changes what is counted")
    say("nor does another start bring them back")
    check(house.stop() == 0 and twin.stop() == 0, "serve stops gracefully")


if __name__ == "__main__":
    daemon.main(test)
