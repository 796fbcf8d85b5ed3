"""What may be an attack is told in the log: what kind, and roughly how often; and nothing of who it was, whence they came or what
they said, also at the most talkative level."""

import time

import canary
import request_headers
import tls_house
from daemon import check, say
from raw_http import proxied, request

MARK, CLIENT = canary.MARK, "203.0.113.77"
HEADER = proxied(CLIENT)
SOME = "10 to 99"
FEW = "under 10"


class House(tls_house.House):
    """Behind a listed proxy, by TLS, with pages, and with room for little."""

    def __init__(self):
        super().__init__(portal=True, log="trace", THRONG_INTAKE_PROXIES="127.0.0.1", THRONG_INTAKE_ORIGINS="https://shop.example",
                         THRONG_TEST_INTAKE_BODIES_BYTES=str(1 << 20))

    def line(self, *words, port=None, prefix=None, **more):
        return super().line(*words, port=port, prefix=(b"" if port else HEADER) if prefix is None else prefix, **more)

    def ask(self, *words, port=None, **more):
        with self.line(port=port) as line:
            line.socket.sendall(request(*words, **more))
            return line.answer()


def provoke(house):
    for _ in range(12):
        status = house.ask("POST", f"/v1/preview?{MARK}", request_headers.preview(), f"origin: https://{MARK}.example")[0]
        check(status == 403, "a page that is not listed is answered with", status)
    for _ in range(3):
        status = house.ask("POST", f"/v1/{MARK}", b"", "content-length: 5", f"x: {MARK}", host=f"host: {MARK}")[0]
        check(status == 400, "a request of two lengths is answered with", status)
        status = house.ask("GET", f"/{MARK}", b"", f"host: {MARK}", host=f"host: {MARK}")[0]
        check(status == 400, "a request to two hosts is answered with", status)
        port = house.portal_port
        token = f"token=throng_{MARK}".encode()
        status = house.ask("POST", "/sign-in", token, f"cookie: __Host-throng={MARK}", port=port, host=f"host: {MARK}")[0]
        check(status == 403, "a token that nobody has is answered with", status)
        status = house.ask("POST", "/sign-out", b"", f"origin: https://{MARK}.example", port=port)[0]
        check(status == 403, "a form of another site is answered with", status)
        with house.open() as plain:
            plain.sendall(HEADER + f"GET /{MARK} HTTP/1.1\r\nhost: {MARK}\r\n\r\n".encode())
            check(tls_house.is_closed(plain, 10), "what is no TLS is kept")
        with house.open() as plain:
            plain.sendall(f"GET /{MARK} HTTP/1.1\r\nhost: {MARK}\r\n\r\n".encode())
            check(tls_house.is_closed(plain, 10), "a proxy's connection without a header is kept")
    first, second = house.line(), house.line()
    half = request("POST", "/v1/batches", MARK.encode().ljust(1_000_000))[:700_000]
    first.socket.sendall(half)
    time.sleep(0.5)
    second.socket.sendall(half)
    check(second.answer()[0] == 503, "there is room for two")
    for line in (first, second):
        line.socket.close()


def test():
    cage = canary.Cage()
    began = time.monotonic()
    house = House().start()
    check("refused at the door" not in house.log_text(), "something was refused already:", house.log_text()[-2000:])
    provoke(house)
    check(house.stop() == 0, "serve stops gracefully")
    # A kind is told within a minute, and what comes then with the daemon's last words.
    most = 1 if time.monotonic() - began < 60 else 2
    log = house.log_text()
    lines = [line for line in log.splitlines() if "refused at the door" in line]
    expected = {
        "requests of pages that are not listed": SOME, "malformed requests": FEW, "sign-ins by no good token": FEW,
        "forms of other sites": FEW, "handshakes of TLS": FEW, "connections of proxies without a header": FEW,
        "requests without room": FEW}
    for kind, times in expected.items():
        found = [line for line in lines if kind in line]
        told = [times] if len(found) == 1 else [times, FEW]
        check(1 <= len(found) <= most and all(any(each in line for each in told) for line in found), kind, "is told as", found)
    check(all(any(kind in line for kind in expected) for line in lines), "more is told:", lines)
    needles = [*cage.needles, CLIENT.encode(), "51234".encode()]
    said = log.encode()
    check(not any(needle in said for needle in needles), "the log holds", [n for n in needles if n in said][:3])
    # The control: what is in there is found.
    check(any(needle in said + MARK.encode() for needle in needles), "nothing would be found")
    check(any(needle in said + CLIENT.encode() for needle in needles), "no address would be found")
    say(f"{len(lines)} kinds of refusals are told in a line each, without a word of who they were")
