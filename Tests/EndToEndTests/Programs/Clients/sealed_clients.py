"""The Python client and the Swift SDK's sample app, whose plan wants what they count sealed: it goes through a relay and is counted
exactly, withdrawals too. Whatever that relay does, nothing of it comes to the daemon's own address, where somebody listens; and in
a control, a client that falls back, it does. The Python client seals as RFC 9180 and RFC 9458 print it."""

import json
import os
import sys
import time

import daemon
import sdk
from daemon import check, say, until
from oblivious import batch, message, plan
from relay_street import KEYS, SEALED, Street

sys.path.insert(0, os.path.join(daemon.ROOT, ".build", "pyhpke"))
sys.path.insert(0, os.path.join(daemon.ROOT, "Deploy", "clients", "python"))
import throng_client  # noqa: E402
import throng_folder  # noqa: E402
import throng_oblivious  # noqa: E402

PLAN = plan("consent: required, transport: oblivious",
            "  proved: {explanation: To count devices., consent: required, rotation: 1 hour, retention: 400 days, transport: oblivious,"
            " floor: attested}",
            "days: {title: Days, events: [note_read], purpose: proved, measures: {reach: attested}", ', relay: "RELAY"')


def published():
    """RFC 9180, appendix A.1.1, and RFC 9458, appendix A."""
    sender = throng_oblivious.Sender(bytes.fromhex("3948cfe0ad1ddb695d780e59077195da6c56506b027329794ab02bca80815c4d"),
                                     bytes.fromhex("4f6465206f6e2061204772656369616e2055726e"),
                                     bytes.fromhex("52c4a758a802cd8b936eceea314432798d5baf2d7e9235dc084ab1b9cfa2f736"))
    check(sender.enc.hex() == "37fda3567bdbd628e88668c3c8d7e97d1d1253b6d4ea6d44c150f741f1bf4431", "enc", sender.enc.hex())
    exported = sender.export(b"", 32).hex()
    check(exported == "3853fe2b4035195a573ffc53856e77058e15d9ea064de3e59f4961d0095250ee", "exported", exported)
    public = bytes.fromhex("31e1f05a740102115220e9af918f738674aec95f54db6e04eb705aae8e798155")
    sealed = throng_oblivious.SealedRequest(bytes.fromhex("00034745540568747470730b6578616d706c652e636f6d012f"), 1, public,
                                            bytes.fromhex("bc51d5e930bda26589890ac7032f70ad12e4ecb37abb1b65b1256c9c48999c73"))
    check(sealed.bytes.hex() == (
        "010020000100014b28f881333e7c164ffc499ad9796f877f4e1051ee6d31bad19dec96c208b4726374e469135906992e1268c594d2a10c695d"
        "858c40a026e7965e7d86b83dd440b2c0185204b4d63525"), "sealed", sealed.bytes.hex())
    answer = bytes.fromhex("c789e7151fcba46158ca84b04464910d86f9013e404feea014e7be4a441f234f857fbd")
    check(sealed.open(answer).hex() == "0140c8", "opened", sealed.open(answer).hex())
    for place in range(len(answer)):
        changed = bytes(each ^ (at == place) for at, each in enumerate(answer))
        try:
            sealed.open(changed)
        except throng_oblivious.Unsealed:
            continue
        raise daemon.Failure(f"a response with a changed byte {place} was opened")
    for small in ("00" * 32, "01" + "00" * 31):
        try:
            throng_oblivious.SealedRequest(b"", 1, bytes.fromhex(small))
        except ValueError:
            continue
        raise daemon.Failure("a key of small order is taken")
    say("RFC 9180 and RFC 9458, byte for byte")


class FallingBack(throng_folder.Way):
    """What no client may do: where the relay fails it goes directly."""

    def ask(self, method, path, body, headers, through=None):
        try:
            return super().ask(method, path, body, headers, through)
        except OSError:
            return super().ask(method, path, body, headers)


def python(street, folder):
    house = street.house
    clients = [throng_client.Client(street.door.address, "notes", os.path.join(folder, str(number))) for number in range(8)]
    for client in clients:
        client.set_consent("product", True)
        client.record("note_created")
        check(client.send() is None and client.waiting == 0, "all is answered")
    check(house.counted() == 8 and not street.direct(), "counted", house.counted(), "and directly came", street.direct())
    check(set(street.asked()) == {"/v1/plan/notes"}, "directly was asked for", street.asked())
    check({each.size for each in street.relay.sealed()} == {1024 + 7 + 32 + 16}, "sizes are others")
    # A key that is forgotten meanwhile is asked for once more, and a plan that is old comes through the relay.
    before, first = len(street.relay.seen), clients[0]
    first._way._relay._key = (first._way._relay._key[0] ^ 1, first._way._relay._key[1])
    first._state["asked"] = 0
    first.record("note_found")
    check(first.send() is None and house.counted() == 9, "a key that is not known any more")
    asked = [(each.method, each.path) for each in street.relay.seen[before:]]
    check(asked == [("POST", SEALED), ("GET", KEYS), ("POST", SEALED), ("POST", SEALED)], "the relay was asked for", asked)
    check(len(street.asked()) == 8, "a plan came directly")
    # Taking back.
    for client in clients[:3]:
        client.set_consent("product", False)
        client.send()
    until(lambda: house.counted() == 5, "three of eight took it back:", house.counted, seconds=400)
    check(not street.direct(), "directly came", street.direct())
    check(first.preview("note_found")["product"]["events"][0]["counted"] and not street.direct(), "a preview")
    say("the Python client seals, counts exactly and takes back, and nothing came directly")

    tried = street.fates()
    client = clients[7]
    for name, fate in tried.items():
        street.relay.fate = fate
        client._way._relay = None
        client.record("note_found")
        for _ in range(3):
            client._state["patience"].clear()
            client._state["asked"] = 0
            client.send()
        check(client.waiting > 0 and not street.direct() and len(street.asked()) == 8, name, "led to", street.direct())
    check(house.counted() == 5, "counted", house.counted())
    street.relay.fate = None
    client._state["patience"].clear()
    client._way._relay = None
    while client.send() is not None:
        client._state["patience"].clear()
    check(house.counted() == 5 + len(tried) and not street.direct(), "later was counted", house.counted())
    pinned = throng_client.Client(street.door.address, "notes", os.path.join(folder, "pinned"), gateway="A" * 43 + "=")
    pinned.set_consent("product", True)
    pinned.record("note_found")
    pinned.send()
    check(pinned.waiting == 1 and not street.direct(), "another gateway than it expects is taken")
    say(f"{len(tried)} relays that refuse, lie or read lead to nothing directly, and later all of it counts once")

    falling = throng_client.Client(street.door.address, "notes", os.path.join(folder, "falling"))
    falling._way = FallingBack(street.door.address, throng_folder.fetch)
    falling.set_consent("product", True)
    falling.record("note_found")
    street.relay.fate = tried["404"]
    falling.send()
    street.relay.fate = None
    check(street.direct(), "a client that falls back is not heard, so that this shows nothing")
    check(house.counted() == 5 + len(tried), "what came directly was counted")
    status, _, text = house.post(batch(1))
    check((status, json.loads(text)["error"]) == (403, "oblivious_only"), "the daemon answers", status, text)
    named = {name: value for name, value in json.loads(batch(1)).items() if name in ("app", "purpose", "window", "id")}
    first = {"app": "notes", "metric": "days", "period": "day", "start": int(time.time()) // 86400 * 86400, "cell": {}, "proof": "A" * 390}
    for path, body in (("/v1/withdraw", named), ("/v1/firsts", first)):
        # What marks a request that was opened here is known to nobody else.
        status, _, text = house.exchange("POST", path, json.dumps(body), {"throng-sealed": "1", "host": "sealed"})
        check((status, json.loads(text)["error"]) == (403, "oblivious_only"), path, status, text)
    status, _, text = house.ask(message("POST", "/v1/firsts", json.dumps(first).encode()))
    check((status, json.loads(text)["error"]) == (422, "unproved_first"), "sealed, its proof is looked at:", status, text)
    say("a client that falls back is heard, and refused before anything is counted")


def swift(folder):
    text = daemon.read(daemon.SAMPLE, "notes", "notes.yaml").replace("  audience: 5000\n", "  audience: 5000\n  relay: \"RELAY\"\n")
    street = Street(text.replace("    retention: 400 days\n", "    retention: 400 days\n    transport: oblivious\n"))

    class Way:
        port = street.door.port

    def notes(*command):
        return sdk.notes(Way, folder, *command)

    notes("agree")
    check("counted 1, refused 0, waiting 0" in notes("create", *["word"] * 12), "the first note is not counted")
    check("counted 1" in notes("find"), "the second is not")
    check(street.house.counted() > 0 and not street.direct(), "directly came", street.direct())
    check(street.asked() == ["/v1/plan/notes"], "directly was asked for", street.asked())
    tried = street.fates()
    # SealingTests have the others.
    for name in ("404", "an answer", "unsigned keys"):
        street.relay.fate = tried[name]
        said = notes("find")
        check("counted 0" in said and "waiting 0" not in said, name, "was taken for an answer:", said)
        check(not street.direct() and len(street.asked()) == 1, name, "led to", street.direct(), street.asked())
    street.relay.fate = None
    until(lambda: "waiting 0" in notes("purposes"), "what waited is not counted", seconds=90, pause=1)
    notes("refuse")
    sdk.becomes(street.house, {}, "who refuses has nothing counted any more")
    check(not street.direct() and len(street.asked()) == 1, "directly came", street.direct(), street.asked())
    street.end()
    say("the Swift SDK seals, counts and takes back; nothing but the first question for the plan came directly")


def test():
    published()
    folder, street = daemon.temporary(), Street(PLAN)
    python(street, folder)
    street.end()
    swift(os.path.join(folder, "notes"))
