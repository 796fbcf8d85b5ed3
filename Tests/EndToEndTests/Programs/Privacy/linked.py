"""Who links, where a purpose goes through a relay? A crowd lives through some windows. Then the daemon's owner, with all that comes to
the daemon, its keys from the disk and what clients asked it directly, and the relay's owner, with all that comes to the relay, each
try to tell which requests are of one device, of which address a batch is, or who said much. They do no better than whoever guesses, who
has about one pair a window right, whatever the crowd. In controls the same attackers succeed: without a relay, where a relay hands on
a header, where each device gets a key of its own, and where nothing is padded."""

import base64
import concurrent.futures
import glob
import itertools
import json
import math
import os
import random
import sys
import tempfile
import threading
import time
import urllib.parse

import daemon
from daemon import check, say
from oblivious import EXPIRES, House, prefixed, varint
from relay_street import Door, Relay
from sealed_http import Gateway, parties

sys.path.insert(0, os.path.join(daemon.ROOT, "Deploy", "clients", "python"))
import throng_client  # noqa: E402
import throng_oblivious  # noqa: E402
from throng_folder import Answer, identifier  # noqa: E402

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: E402

DEVICES = int(os.environ.get("THRONG_TEST_LINKED", "24"))
WINDOWS, ROTATION = 3, 60
# One in a thousand of those who guess has as many right, and six guess each time: whoever was so lucky tries once more, in other
# windows. Who really links does it again.
DOUBT = 0.001
SEED = int(os.environ.get("THRONG_TEST_SEED", str(int(time.time()))))
CHANCE = random.Random(SEED)
LONG = "note_shared_with_somebody_else_who_reads_it_later"
PLAN = f"""
app: {{name: notes, title: Notes, owner: Team, contact: a@example.com, audience: 1000}}
purposes:
  product: {{explanation: To see., consent: not_required, rotation: {ROTATION} seconds, retention: 400 days, transport: direct}}
dimensions:
  feature: {{title: Feature, field: event, list: [note_created, note_found, {LONG}]}}
metrics:
  use:
    {{title: Use, events: [note_created, note_found, {LONG}], question: What?, decision: That., owner: Team,
    expires: {EXPIRES}, purpose: product, period: day, dimensions: [feature], contribution_bound: 100000}}
"""


def relayed(relay):
    return PLAN.replace("audience: 1000", f"audience: 1000, relay: \"{relay.address}\"").replace(
        "transport: direct", "transport: oblivious")


class Device:
    """A client with an address of its own, which says little or much, always the same."""

    def __init__(self, world, number):
        self.number, self.address = number, f"127.0.1.{number + 1}"
        self.agent, self.says_much = f"device/{CHANCE.randrange(1 << 30)}", number % 2 == 1
        self.client = throng_client.Client(world.door.address, "notes", tempfile.mkdtemp(prefix="throng-linked-"), transport=self.carry)

    def carry(self, method, url, body, headers):
        found = urllib.parse.urlsplit(url)
        return Answer(*daemon.fetch(found.port, method, found.path, body, {**headers, "user-agent": self.agent}, self.address))

    def move(self):
        """Another network, and so another address."""
        self.address = f"127.{CHANCE.randrange(2, 250)}.{CHANCE.randrange(250)}.{CHANCE.randrange(1, 250)}"

    def live(self):
        for name in ["note_created", *(["note_found", LONG] * self.says_much)]:
            self.client.record(name)
        self.client.send()

    def id(self, window):
        return identifier(bytes.fromhex(self.client._state["secret"]), "product", window)


class OwnKeys(Door):
    """A daemon's owner who gives a key of its own to each that asks, and knows who asks by it."""

    def __init__(self, port):
        super().__init__(port)
        self.signer, self.gateways, self.turn = Ed25519PrivateKey.generate(), [], threading.Lock()

    def ask(self, method, path, body, headers):
        if path == "/v1/ohttp-keys":
            with self.turn:
                self.gateways.append(Gateway("x25519", len(self.gateways)))
                listed = self.gateways[-1].listed
            signature = self.signer.sign(b"throng ohttp-keys\0" + listed)
            return 200, {"throng-signature": base64.b64encode(signature).decode()}, listed
        if path == "/v1/ohttp":
            message = b"\1" + varint(202) + prefixed(b"") + prefixed(b'{"accepted":1,"refused":[]}')
            _, answer = self.gateways[body[0]].answer(body, "aes128", message.ljust(1024, b"\0"))
            return 200, {"content-type": "message/ohttp-res"}, answer
        status, fields, text = super().ask(method, path, body, headers)
        public = self.signer.public_key().public_bytes_raw()
        fields = {name: value for name, value in fields.items() if name.lower() != "throng-gateway"}
        return status, {**fields, "Throng-Gateway": base64.b64encode(public).decode()}, text

    def opened(self, body):
        return opened(body, self.gateways[body[0]].pair.private_key)


def opened(body, key):
    """The text in a sealed request, for whoever has the key."""
    suite, _, length = parties("x25519", "aes128")
    recipient = suite.create_recipient_context(body[7:7 + length], key, b"message/bhttp request\0" + body[:7])
    text = recipient.open(body[7 + length:])
    # A question for the plan has no text.
    return json.loads(text[text.index(b"{"):text.rindex(b"}") + 1]) if b"{" in text else None


class World:
    """A crowd, a daemon, whoever stands before it, and a relay, perhaps."""

    def __init__(self, name, is_relayed=True, before=Door, keeps_keys=True, passed=(), moves=False):
        self.name, self.is_relayed, self.moves = name, is_relayed, moves
        self.relay = Relay(0)
        self.relay.passed = passed
        self.house = House(relayed(self.relay) if is_relayed else PLAN, name="notes").start()
        # What comes through the relay, and what comes directly: the owner of the daemon sees both.
        self.front = before(self.house.port)
        self.door = self.front if before is OwnKeys else Door(self.house.port)
        self.relay.upstream, self.relay.keeps_keys = self.front.port, keeps_keys
        self.devices = [Device(self, number) for number in range(DEVICES)]
        order = list(self.devices)
        CHANCE.shuffle(order)
        # Long before they say anything: clients ask for the plan, directly.
        for device in order:
            device.client._learn()

    def live(self, count=WINDOWS):
        """Some windows. In each every device says its own at a time of its own."""
        windows = []
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            for _ in range(count):
                time.sleep(ROTATION - time.time() % ROTATION + 0.2)
                begin = time.time()
                window = int(begin // ROTATION)
                windows.append(window)
                # A busy machine may be as late as what is left then.
                left = (window + 1) * ROTATION - begin - 35
                moments = sorted((CHANCE.uniform(0, left), device) for device in CHANCE.sample(self.devices, DEVICES))
                for moment, device in moments:
                    time.sleep(max(0, begin + moment - time.time()))
                    if self.moves:
                        device.move()
                    pool.submit(device.live)
        self.windows = windows
        self.owners = {device.id(window): device.number for device in self.devices for window in windows}
        for device in self.devices:
            check(device.client.waiting == 0, self.name, "has a device that was not answered")

    def end(self):
        for each in {self.relay, self.front, self.door}:
            each.shutdown()
        check(self.house.stop() == 0, "the daemon did not stop in order")

    # What each owner has.

    def daemon_view(self):
        """Batches by window, each with all that its owner sees of its coming."""
        path, = glob.glob(os.path.join(self.house.data, "oblivious", "*.key"))[-1:]
        secret = daemon.read_bytes(path)[8:40]
        suite, _, _ = parties("x25519", "aes128")
        key = suite.kem.deserialize_private_key(secret)
        found = {window: [] for window in self.windows}
        for each in (self.front if self.is_relayed else self.door).counting():
            if not self.is_relayed:
                text = json.loads(each.body)
            else:
                text = self.front.opened(each.body) if isinstance(self.front, OwnKeys) else opened(each.body, key)
            if text is None:
                continue
            known = {name: value for name, value in each.headers.items() if name != "content-length"}
            # What was sent in a window that is not looked at is left out.
            found.get(text["window"], []).append({
                "id": text["id"], "is": {"address": each.address, "key": each.body[:1] if self.is_relayed else b"", **known},
                "at": each.at, "size": each.size, "start": each.body[:64]})
        return found

    def relay_view(self):
        """Sealed requests by window, as the relay saw them; whose they are only the test knows."""
        found = {window: [] for window in self.windows}
        begin = time.time() - time.monotonic()
        for each in self.relay.sealed():
            if each.body[:64] not in self.said:
                continue
            window = int((each.at + begin) // ROTATION)
            known = {name: value for name, value in each.headers.items() if name not in ("content-length", "user-agent", "host")}
            found.get(window, []).append({
                "id": self.said[each.body[:64]], "is": {"address": each.address, **known}, "at": each.at, "size": each.size})
        return found

    def learn_truth(self):
        """Which sealed request was of which device: known to the devices, and to whoever checks."""
        self.said = {}
        for batches in self.daemon_view().values():
            for each in batches:
                self.said[each["start"]] = each["id"]


def distance(one, other):
    """How much less likely two are of one device: what differs that is said, then sizes, then places in the row and in time."""
    differing = sum(one["is"].get(name) != other["is"].get(name) for name in {*one["is"], *other["is"]})
    return differing * 1000 + abs(one["size"] - other["size"]) + abs(one["row"] - other["row"]) / 1000


def linked(world, view):
    """How many of an attacker's pairs over two windows are right, by the nearest first; ties by lot."""
    right = pairs = 0
    for before, after in itertools.pairwise(sorted(view)):
        for batches in (view[before], view[after]):
            for row, each in enumerate(sorted(batches, key=lambda each: each["at"])):
                each["row"] = row
        found = [(distance(one, other), CHANCE.random(), one["id"], other["id"]) for one in view[before] for other in view[after]]
        free = {each[2] for each in found} | {each[3] for each in found}
        for _, _, one, other in sorted(found):
            if one in free and other in free:
                free -= {one, other}
                pairs += 1
                right += world.owners[one] == world.owners[other]
    return right, pairs


def placed(world):
    """How many batches the daemon's owner gives to the right address, by the order in which devices asked it directly."""
    asked = [each for each in world.door.seen if each.path.startswith("/v1/plan/") and each.address != "127.0.0.1"]
    numbers = {f"127.0.1.{device.number + 1}": device.number for device in world.devices}
    right = count = 0
    for window, batches in world.daemon_view().items():
        for place, each in enumerate(sorted(batches, key=lambda each: each["at"])):
            count += 1
            if each["is"]["address"] in numbers:
                right += numbers[each["is"]["address"]] == world.owners[each["id"]]
            elif place < len(asked):
                right += numbers[asked[place].address] == world.owners[each["id"]]
    return right, count


def told(world):
    """How many devices the relay's owner puts right among those who say much and those who say little: the larger half says much."""
    sizes = {}
    for batches in world.relay_view().values():
        for each in batches:
            sizes.setdefault(world.owners[each["id"]], []).append(each["size"])
    ranked = sorted(sizes, key=lambda number: (sum(sizes[number]), CHANCE.random()))
    much = set(ranked[len(ranked) // 2:])
    return sum((number in much) == (number % 2 == 1) for number in ranked), len(ranked)


def luck(right, expected):
    """How likely whoever guesses has as many right: Poisson, which is what matching by lot comes to."""
    return 1 - sum(math.exp(-expected) * expected ** count / math.factorial(count) for count in range(right))


def coin(right, count):
    """The same of a coin for each."""
    return sum(math.comb(count, each) for each in range(right, count + 1)) / 2 ** count


def guesses(world, what, right, pairs, likely):
    say(f"{world.name}: {what}: {right} of {pairs} right; whoever guesses has as many in {likely:.3g} of all cases")
    return likely


def succeeds(world, what, right, pairs, share=0.8):
    say(f"control, {world.name}: {what}: {right} of {pairs} right")
    check(right >= share * pairs, world.name, what, "has", right, "of", pairs, "right, so that the others show nothing")


def live(worlds):
    """Some windows of all of them, at the same time."""
    lives = [threading.Thread(target=each.live) for each in worlds]
    [each.start() for each in lives]
    [each.join() for each in lives]
    for each in worlds:
        if each.is_relayed:
            each.learn_truth()
            check(not each.door.counting() or isinstance(each.front, OwnKeys), each.name, "had something that came directly")


def attacks(fair, moving, one_key):
    """How likely whoever guesses has as many right as either owner."""
    expected = WINDOWS - 1
    likely = []
    # The daemon's owner.
    for world in (fair, moving, one_key):
        right, pairs = linked(world, world.daemon_view())
        likely.append(guesses(world, "the daemon's owner links two windows", right, pairs, luck(right, expected)))
    right, count = placed(fair)
    likely.append(guesses(fair, "the daemon's owner names an address", right, count, luck(right, WINDOWS)))
    # The relay's owner, who knows addresses: of devices that move, and of what is said.
    right, pairs = linked(moving, moving.relay_view())
    likely.append(guesses(moving, "the relay's owner links two windows", right, pairs, luck(right, expected)))
    right, count = told(fair)
    likely.append(guesses(fair, "the relay's owner tells who says much", right, count, coin(right, count)))
    return likely


def test():
    say(f"seed {SEED}, {DEVICES} devices, {WINDOWS} windows")
    worlds = [World("through a relay"), World("through a relay, from moving devices", moves=True),
              World("each asks for a key, and the relay keeps one for all", before=OwnKeys),
              World("directly", is_relayed=False), World("through a relay that hands on a header", passed=("user-agent",)),
              World("with a key of its own for each", before=OwnKeys, keeps_keys=False)]
    fair, moving, one_key, direct, careless, own_keys = worlds
    live(worlds)
    likely = attacks(fair, moving, one_key)
    if min(likely) < DOUBT:
        live((fair, moving, one_key))
        likely = [max(both) for both in zip(likely, attacks(fair, moving, one_key))]
    check(min(likely) >= DOUBT, "somebody links better than by chance:", likely)
    # The daemon's owner, where it is easy.
    for world in (direct, careless, own_keys):
        succeeds(world, "the daemon's owner links two windows", *linked(world, world.daemon_view()))
    succeeds(direct, "the daemon's owner names an address", *placed(direct))
    for each in worlds:
        each.end()

    # Nothing is padded: a client of its own, as what is padded is the client's affair.
    sizes, throng_oblivious._SIZES = throng_oblivious._SIZES, range(1, 1 << 14)
    loose = World("without padding", moves=True)
    loose.live(1)
    throng_oblivious._SIZES = sizes
    loose.learn_truth()
    succeeds(loose, "the relay's owner tells who says much", *told(loose))
    loose.end()
