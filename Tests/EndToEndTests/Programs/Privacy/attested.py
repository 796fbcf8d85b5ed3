"""Floors that count proved devices: nineteen forged identifiers beside a real one publish nothing, and in a purpose that asks for
no proof they do. Clones, replays, and proofs of other windows, purposes and devices count nobody more, through kill -9."""

import json
import os

import credentials
import daemon
from daemon import check, say, until
from moving_clock import MovingClock

DAY = 86400
MONDAY = 1772409600  # 2026-03-02, 0:00 UTC; PostgreSQL does not see the moved clock and refuses a far future
PLAN = """
app: {name: kitchen, title: Kitchen, owner: Tests, contact: tests@example.com, audience: 300, threshold: 20, grace: 24 hours}
purposes:
  product: {explanation: To cook better., consent: not_required, floor: attested, rotation: 1 day, retention: 300 days}
  open: {explanation: To compare., consent: not_required, rotation: 1 day, retention: 300 days}
dimensions:
  page: {title: Page, field: page, list: [home, soup, cake]}
metrics:
  proved: {title: Proved, events: [view], question: How many?, decision: None., owner: Tests, expires: 2027-02-01,
    purpose: product, dimensions: [page], period: day, measures: {reach: true}}
  unproved: {title: Unproved, events: [look], question: How many?, decision: None., owner: Tests, expires: 2027-02-01,
    purpose: open, dimensions: [page], period: day, measures: {reach: true}}
"""
METRICS = 2


class House(daemon.Daemon):
    def __init__(self):
        super().__init__(PLAN, name="kitchen")
        self.clock = MovingClock(self.folder, MONDAY + 8 * 3600)
        self.settings = {**self.clock.variables, "THRONG_ATTESTERS": credentials.rules(self.folder, "kitchen")}
        self.start()
        self.device = credentials.Device()

    def window(self):
        return self.clock.now() // DAY

    def credential(self, token):
        """What a device gets for which the attester vouches."""
        terms = json.loads(self.get("/v1/credentials/kitchen")[2])
        kept, request = self.device.request(terms)
        status, _, told = self.post(json.dumps({
            "app": "kitchen", "epoch": terms["epochs"][0]["epoch"], "request": request,
            "attestation": {"by": "command", "token": token}}), path="/v1/credentials")
        check(status == 200, "a device gets", status, told)
        return self.device.ask("finalize", kept, json.loads(told)["response"])[0]

    def shown(self, credential, window=None, purpose="product"):
        return self.device.ask("present", credential, "kitchen", purpose, self.window() if window is None else window)

    def send(self, identifier, proof=None, purpose="product", page="soup"):
        event = {"event": "view" if purpose == "product" else "look", "at": daemon.instant(self.clock.now()), "fields": {"page": page}}
        body = {"app": "kitchen", "batch": os.urandom(16).hex(), "purpose": purpose, "window": self.window(), "id": identifier,
                "events": [event], **({"proof": proof} if proof else {})}
        status, _, answer = self.post(json.dumps(body))
        return status, json.loads(answer)

    def counted(self, *given, **more):
        status, answer = self.send(*given, **more)
        check(status == 202 and answer["accepted"] == 1, given[0], "was answered", status, answer)

    def known(self):
        """The most identifiers that a window of the proved metric has."""
        self.drain()
        found = self.sql("select coalesce(sum(devices), 0) from throng.distinct_count join throng.metric_layout as l using "
                         "(metric_id) where l.layout ->> 'metric' = 'proved' and distinct_count.margin = 1 and cell = 1")
        return int(found[0][0])

    def released(self, metric):
        """By page what the last release shows; nothing is withheld."""
        view = f"analyst.kitchen_{metric}"
        rows = self.sql(f"select page, events, devices from {view} where withheld is null "
                        f"and period_start = (select max(period_start) from {view})")
        return {page: (int(events), int(devices)) for page, events, devices in rows}

    def close_day(self, day):
        """On to the morning after the release of a day."""
        self.clock.move(MONDAY + (day + 2) * DAY + 7200)
        self.drain()
        self.wait_for_releases(METRICS * (day + 1))

    def wait_for_releases(self, count):
        until(lambda: int(self.sql("select count(*) from throng.release")[0][0]) >= count, "no", count, "releases come",
              seconds=120, pause=0.5)


def forgery(house):
    """Nineteen beside one."""
    real = house.credential("real")
    house.counted(*house.shown(real))
    house.counted("real one", purpose="open")
    for number in range(19):
        house.counted(f"forged {number}")
        house.counted(f"forged {number}", purpose="open")
    check(house.known() == 1, "identifiers that count are", house.known())
    house.close_day(0)
    check(house.released("proved") == {}, "nineteen forged devices publish", house.released("proved"))
    check(house.released("unproved") == {"soup": (20, 20), "(all)": (20, 20)}, "the control:", house.released("unproved"))
    say("nineteen forged devices beside a real one publish nothing; where nobody has to prove anything they do")
    return real


def cheats(house, real):
    """What a device that has one credential tries to be more than one. ProofTests have every other try."""
    before = house.known()
    first, proof = house.shown(real)
    house.counted(first, proof)
    # A clone, and one that has forgotten all but the credential.
    for _ in range(3):
        identifier, other = house.shown(real)
        check(identifier == first and other != proof, "a clone shows another identifier")
        house.counted(identifier, other)
    tried = {
        "another window": house.shown(real, house.window() - 1), "another purpose": house.shown(real, purpose="open"),
        "somebody else's": ("another identifier", proof)}
    for what, (identifier, shown) in tried.items():
        status, answer = house.send(identifier, shown)
        check((status, answer.get("error")) in ((422, "unproved"), (400, "wrong_shape")), what, status, answer)
    check(house.known() == before + 1, "cheats count as", house.known() - before, "devices")
    house.kill()
    house.start()
    house.counted(*house.shown(real))
    check(house.known() == before + 1, "after kill -9 the device counts again")
    say("clones, replays and proofs of anything else count one device as one")


def sdk(house):
    """The Swift SDK proves itself once a window. What it does otherwise ProvingTests have."""
    before = house.known()
    told = daemon.ran(os.path.join(os.path.dirname(daemon.BINARY), "Probe"), "prove", f"http://127.0.0.1:{house.port}/v1/plan/kitchen",
                      os.path.join(house.folder, "sdk"), "sdk", env={**daemon.environment(), **house.clock.variables}, seconds=1200)
    lines = [line.split() for line in told.stdout.splitlines()]
    check([(line[0], line[2]) for line in lines] == [("1", "proved"), ("1", "alone")], "the SDK says", lines)
    check(house.known() == before + 1, "its device is", house.known() - before)
    say("the Swift SDK proves its device once, and it counts as one")


def crowd(house):
    """Twenty-five that prove themselves, thirty that don't, and a kill -9 between."""
    proved = [house.credential(f"phone {number}") for number in range(25)]
    shown = [house.shown(each) for each in proved]
    for identifier, proof in shown[:13]:
        house.counted(identifier, proof)
    for number in range(30):
        house.counted(f"old phone {number}")
    house.kill()
    house.start()
    for identifier, proof in shown[13:]:
        house.counted(identifier, proof)
    # Those that were proved before stay so without their proof.
    for identifier, _ in shown:
        house.counted(identifier)
    house.counted("old phone 0", page="cake")
    house.close_day(3)
    # The cake is somebody's who proved nothing: its number is not told.
    check(house.released("proved") == {"(all)": (81, 25), "soup": (80, 25)}, "released is", house.released("proved"))
    say("numbers hold what all sent, and say of how many proved devices they are")


def test():
    house = House()
    real = forgery(house)
    house.clock.move(MONDAY + 2 * DAY + 9 * 3600)
    cheats(house, real)
    sdk(house)
    house.clock.move(MONDAY + 3 * DAY + 60)
    house.clock.move(MONDAY + 3 * DAY + 8 * 3600)
    crowd(house)
    check("phone" not in house.log_text(), "the log holds who was vouched for")
    house.device.close()
    check(house.stop() == 0, "serve stops gracefully")
