"""Who is on the way between a device and a daemon, on this machine: the door, which is the daemon's own address and takes down
whoever comes directly, and a relay of somebody else's. Each keeps all that it sees."""

import json
import time

import daemon
import pages
from daemon import check
from oblivious import House

KEYS, SEALED = "/v1/ohttp-keys", "/v1/ohttp"


class Seen:
    """One request, as whoever is on the way sees it."""

    def __init__(self, handler, body):
        self.at, self.address = time.monotonic(), handler.client_address[0]
        self.method, self.path, self.size, self.body = handler.command, handler.path, len(body), body
        self.headers = {name.lower(): value for name, value in handler.headers.items()}
        self.line = handler.client_address
        self.answered = None


class Party(pages.Server):
    def __init__(self, port):
        super().__init__(self.handler, upstream=port, seen=[], fate=None)
        self.address = self.url("")

    def sealed(self):
        return [each for each in list(self.seen) if each.path == SEALED and each.method == "POST"]

    def counting(self):
        """What came with something that counts, but for questions about a plan, a script or keys."""
        return [each for each in list(self.seen) if each.method == "POST"]

    def ask(self, method, path, body, headers):
        return daemon.fetch(self.upstream, method, path, body or None, headers)


class Handler(pages.Handler):
    def hand_on(self, status, headers, body):
        kept = {name.lower(): value for name, value in headers.items()}
        for name in ("content-length", "connection", "transfer-encoding", "date", "server"):
            kept.pop(name, None)
        self.answer(status, body, **kept)

    def do(self):
        body = self.body()
        seen = Seen(self, body)
        self.server.seen.append(seen)
        seen.answered = self.take(body)

    do_GET = do_POST = do_OPTIONS = do_HEAD = do


class DoorHandler(Handler):
    """Hands everything on as it came."""

    def take(self, body):
        headers = {name: value for name, value in self.headers.items() if name.lower() not in ("connection", "content-length")}
        status, fields, text = self.server.ask(self.command, self.path, body, headers)
        self.hand_on(status, fields, text)
        return status, len(text)


class RelayHandler(Handler):
    """As the shipped relays do: two paths, the body and its type, one list of keys for all; pages of all sites may send."""

    OPEN = {"access-control-allow-origin": "*", "access-control-allow-headers": "content-type",
            "access-control-expose-headers": "throng-signature"}

    def take(self, body):
        relay = self.server
        fate = relay.fate(self) if relay.fate else None
        if fate:
            status, fields, text = fate
        elif self.command == "OPTIONS":
            status, fields, text = 204, {}, b""
        elif (self.command, self.path) == ("GET", KEYS):
            found = relay.keys or relay.ask("GET", KEYS, b"", {})
            relay.keys = found if relay.keeps_keys else None
            status, fields, text = found
        elif (self.command, self.path) == ("POST", SEALED):
            passed = {name: self.headers[name] for name in relay.passed if self.headers[name]}
            status, fields, text = relay.ask("POST", SEALED, body, {"content-type": "message/ohttp-req", **passed})
        else:
            status, fields, text = 404, {}, b""
        fields = {name: value for name, value in fields.items() if not name.lower().startswith("access-control")}
        self.hand_on(status, {**fields, **self.OPEN}, text)
        return status, len(text)


class Door(Party):
    handler = DoorHandler


class Relay(Party):
    handler = RelayHandler
    # One list for all, where it keeps one.
    keys, keeps_keys = None, True
    # Headers of the device that are handed on: none.
    passed = ()


class Street:
    """A daemon, its door, and the relay that its plan names: RELAY stands there for it."""

    def __init__(self, plan):
        # The relay's address is in the plan, and leads to a daemon that starts with the plan.
        self.relay = Relay(0)
        self.plan = plan.replace("RELAY", self.relay.address)
        self.house = House(self.plan, name="notes").start()
        self.relay.upstream = self.house.port
        self.door = Door(self.house.port)

    def direct(self):
        """What counts and came to the door, by its purposes."""
        return sorted(json.loads(each.body)["purpose"] for each in self.door.counting())

    def asked(self):
        """What was asked for at the door."""
        return [each.path for each in self.door.seen if each.method == "GET"]

    def fates(self):
        """What a relay may do, by name. What a page asks beforehand is let through."""
        def said(status, text, only=(SEALED, KEYS)):
            return lambda handler: (status, {}, text) if handler.command != "OPTIONS" and handler.path in only else None

        def keys(listed):
            return lambda handler: listed if (handler.command, handler.path) == ("GET", KEYS) else None

        other = House(self.plan, name="notes").start()
        strange, ours = Door(other.port).ask("GET", KEYS, b"", {}), self.relay.ask("GET", KEYS, b"", {})
        check(other.stop() == 0, "the other daemon did not stop in order")
        return {
            "404": said(404, b""), "500": said(500, b""), "301": said(301, b""),
            "an answer": said(202, b'{"accepted":1,"refused":[]}', (SEALED,)),
            "a refusal": said(403, b'{"error":"unknown_app"}', (SEALED,)), "no keys": said(404, b"", (KEYS,)),
            "400 for ever": said(400, b'{"error":"oblivious_key"}', (SEALED,)), "rubbish": said(200, b"x" * 2000, (SEALED,)),
            "nothing": said(200, b"", (SEALED,)), "busy": said(503, b'{"error":"overloaded"}', (SEALED,)),
            "keys of its own": keys(strange), "unsigned keys": keys((200, {}, ours[2])), "cut keys": keys((200, ours[1], ours[2][:20]))}

    def end(self):
        for each in (self.relay, self.door):
            each.shutdown()
        check(self.house.stop() == 0, "the daemon did not stop in order")
