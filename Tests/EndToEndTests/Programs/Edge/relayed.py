"""nginx and haproxy as oblivious relays, by the configurations that are shipped: of what a device says they hand on three
headers and a sealed body, they write nobody down, take nothing else, and lead only to who has the daemon's certificate. Batches
count through relay and proxy, look the same to the relay whatever is in them."""

import http.client
import json
import os
import secrets
import socket
import ssl
import threading

import daemon
import oblivious
import stock_proxies
from daemon import check, say
from oblivious import House, batch, message, parsed
from sealed_http import Client
from stock_proxies import Relay

DEVICE = "127.0.0.77"
SECRET = secrets.token_hex(8)
SAID = {
    "user-agent": f"device {SECRET}", "cookie": f"a={SECRET}", "x-forwarded-for": DEVICE, "x-real-ip": DEVICE,
    "forwarded": f"for={DEVICE}", "via": SECRET, "referer": f"https://{SECRET}.example/", "origin": "https://shop.example",
    "accept-language": "de", "authorization": SECRET, "sec-gpc": "1", "from": SECRET, "x-anything": SECRET, "accept": SECRET}


class Recorder:
    """A server with the daemon's certificate, that keeps what it is sent as it came."""

    def __init__(self, cert, key):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(cert, key)
        self.plain = socket.create_server(("127.0.0.1", 0))
        self.port, self.heard, self.peers = self.plain.getsockname()[1], [], []
        self.listener = context.wrap_socket(self.plain, server_side=True)
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                line, peer = self.listener.accept()
            except ssl.SSLError:
                continue
            except OSError:
                return
            self.peers.append(peer[0])
            threading.Thread(target=self.answer, args=(line,), daemon=True).start()

    def answer(self, line):
        data = b""
        while True:
            part = line.recv(65536)
            if not part:
                return
            data += part
            head, found, body = data.partition(b"\r\n\r\n")
            lengths = [int(each[15:]) for each in head.lower().split(b"\r\n") if each.startswith(b"content-length:")]
            if found and len(body) >= sum(lengths):
                self.heard.append(data)
                data = b""
                line.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: message/ohttp-res\r\ncontent-length: 2\r\nthrong-signature: signed\r\n"
                             b"cache-control: public, max-age=3600\r\naccess-control-allow-origin: https://a.example\r\n"
                             b"vary: origin\r\n\r\nok")


def through(relay, method, path, body=None, headers={}, line=None, source=DEVICE):
    """Status, headers and body of a request by a relay."""
    connection = line or http.client.HTTPConnection(relay.name)
    if not connection.sock:
        connection.sock = relay.connect(30, source)
    connection.request(method, path, body, headers)
    answer = connection.getresponse()
    found = answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
    if not line:
        connection.close()
    return found


def handed_on(kind, folder):
    cert, key, _ = stock_proxies.certificate(folder)
    recorder = Recorder(cert, key)
    relay = Relay(kind, recorder.port, cert)
    sealed = {"content-type": "message/ohttp-req"}
    status, _, body = through(relay, "POST", f"/v1/ohttp?{SECRET}", b"sealed bytes", {**SAID, **sealed})
    check((status, body) == (200, b"ok"), kind, "answers", status, body)
    head, _, body = recorder.heard[-1].partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    check(lines[0] == "POST /v1/ohttp HTTP/1.1" and body == b"sealed bytes", kind, lines, body)
    found = {line.split(":", 1)[0].lower(): line.split(":", 1)[1].strip() for line in lines[1:]}
    check(found == {"host": "count.example.com", "content-type": "message/ohttp-req", "content-length": "12"}, kind, found)
    status, _, _ = through(relay, "GET", f"/v1/ohttp-keys?{SECRET}", headers=SAID)
    lines = recorder.heard[-1].decode().strip().split("\r\n")
    check(status == 200 and lines[0] == "GET /v1/ohttp-keys HTTP/1.1", kind, lines)
    check([line.lower() for line in lines[1:]] == ["host: count.example.com"], kind, lines)
    check(set(recorder.peers) == {"127.0.0.1"}, kind, "shows the device's address:", recorder.peers)

    # All devices get the same keys, and pages what vouches for them.
    for _ in range(3):
        status, headers, _ = through(relay, "GET", f"/v1/ohttp-keys?{secrets.token_hex(4)}", headers=SAID)
        check((status, headers["throng-signature"]) == (200, "signed"), kind, "hands on no signature:", headers)
        check(headers["access-control-allow-origin"] == "*", kind, "lets pages read", headers)
        check("throng-signature" in headers["access-control-expose-headers"], kind, "shows pages", headers)
    check(len(recorder.heard) == 2, kind, "asked for keys again")
    status, headers, _ = through(relay, "OPTIONS", "/v1/ohttp", headers={**SAID, "access-control-request-method": "POST"})
    check((status, headers["access-control-allow-headers"]) == (204, "content-type"), kind, "answers a preflight", status, headers)

    # Nothing else is taken; and what is refused goes nowhere.
    before = len(recorder.heard)
    for method, path, headers, allowed in (
            ("GET", "/v1/ohttp", sealed, (403, 405)), ("PUT", "/v1/ohttp", sealed, (403, 405)),
            ("POST", "/v1/ohttp", {"content-type": "application/json"}, (415,)), ("POST", "/v1/ohttp", {}, (415,)),
            ("POST", "/v1/batches", sealed, (404,)), ("POST", "/v1/ohttp/x", sealed, (404,)), ("GET", "/", {}, (404,)),
            ("POST", "/v1/ohttp-keys", sealed, (403, 405)), ("GET", "/metrics", {}, (404,))):
        status = through(relay, method, path, b"x" if method != "GET" else None, headers)[0]
        check(status in allowed, kind, method, path, headers, "has", status)
    large = {**sealed, "content-length": "2200000"}
    check(through(relay, "POST", "/v1/ohttp", None, large)[0] == 413, kind, "takes any size")
    check(len(recorder.heard) == before, kind, "hands on what it refuses:", recorder.heard[before:])
    check(len(recorder.heard) == 2, kind, "handed on", len(recorder.heard))
    relay.stop()

    # Nobody was written down: neither device nor what it said is in a file of the relay's.
    for path, _, names in os.walk(relay.folder):
        for name in names:
            data = daemon.read_bytes(path, name)
            check(DEVICE.encode() not in data and SECRET.encode() not in data, kind, "wrote down in", name)

    # Who has another certificate gets nothing.
    other = os.path.join(folder, "other")
    os.mkdir(other)
    relay = Relay(kind, recorder.port, stock_proxies.certificate(other)[0])
    check(through(relay, "POST", "/v1/ohttp", b"sealed bytes", sealed)[0] in (502, 503), kind, "leads to anybody")
    check(len(recorder.heard) == 2, kind, "handed on to whoever is not the daemon")
    relay.stop()
    recorder.plain.close()
    say(kind, "hands on three headers, and writes nobody down")


def alike(kind, relay, keys):
    """What a relay sees of devices that had less or more to say, but for its times, is the same; without padding it is not, and
    whoever knows what each said finds all of them by their sizes."""
    seen = {True: [], False: []}
    for is_padded in seen:
        for events in range(1, 11):
            request = message("POST", "/v1/batches", batch(events), padding=0)
            client = Client(keys["x25519"], "x25519", "aes128", oblivious.padded(request) if is_padded else request)
            status, headers, body = through(relay, "POST", "/v1/ohttp", client.bytes, {"content-type": "message/ohttp-req"})
            check(json.loads(parsed(client.open(body))[2])["accepted"] == events, kind, "counts otherwise")
            headers.pop("date", None)
            seen[is_padded].append((events, len(client.bytes), status, len(body), tuple(sorted(headers.items()))))
    check(len({each[1:] for each in seen[True]}) == 1, kind, "sees what differs:", seen[True])
    by_size = [events for _, events in sorted((each[1], each[0]) for each in seen[False])]
    check(by_size == list(range(1, 11)), "without padding sizes tell nothing, either, so that this shows nothing:", seen[False])


def counted(kind, house):
    """Through relay and proxy to the daemon, both of a kind."""
    proxy = stock_proxies.Proxy(kind, house.port)
    relay = Relay(kind, proxy.port, os.path.join(proxy.folder, "cert.pem"))
    before = house.counted()
    status, headers, listed = through(relay, "GET", "/v1/ohttp-keys")
    check(status == 200 and headers["content-type"] == "application/ohttp-keys", kind, status, headers)
    check(listed == house.get("/v1/ohttp-keys")[2], kind, "gives other keys than the daemon")
    length = int.from_bytes(listed[:2], "big")
    keys = {"x25519": listed[:2 + length], "p256": listed[2 + length:]}
    # Up to the largest class that a batch of the default size needs.
    for kem, padding in (("x25519", 0), ("p256", 5_000), ("x25519", (2 << 20) - 2_000)):
        client = Client(keys[kem], kem, "aes128", message("POST", "/v1/batches", batch(3), padding=padding))
        said = {**SAID, "content-type": "message/ohttp-req"}
        status, headers, body = through(relay, "POST", "/v1/ohttp", client.bytes, said)
        check((status, headers.get("content-type")) == (200, "message/ohttp-res"), kind, kem, status, headers, body)
        # The relay's own request has an opt-out signal, which is nobody's.
        check(json.loads(parsed(client.open(body))[2]) == {"accepted": 3, "refused": []}, kind, kem)
    check(house.counted() == before + 9, kind, "counted", house.counted() - before)
    alike(kind, relay, keys)
    say(kind, "counts, and sees no difference but times")

    relay.stop()
    proxy.stop()


def test():
    house = House(oblivious.PLAN, name="notes").start()
    for kind in ("nginx", "haproxy"):
        folder = os.path.join(house.folder, kind)
        os.mkdir(folder)
        handed_on(kind, folder)
    for kind in ("nginx", "haproxy"):
        counted(kind, house)
    check(house.stop() == 0, "the daemon did not stop in order")
