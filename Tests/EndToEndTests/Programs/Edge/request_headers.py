"""The door, by raw sockets and sealed: hosts, origins and opt-out signals are read alike by all routes."""

import contextlib
import json
import os
import time

import daemon
import shop
from daemon import check, say
from oblivious import parsed, prefixed
from raw_http import Line, ask, request
from sealed_http import Client

EXPIRES = daemon.expiry()
PLAN = daemon.read(os.path.splitext(os.path.abspath(__file__))[0] + ".yaml").replace(
    "ROTATION", daemon.duration(shop.ROTATION)).replace("EXPIRES", EXPIRES)


def preview(**more):
    return json.dumps({"app": "shop", "purpose": "product", "context": {}, "events": [shop.event()], **more}).encode()


def reveal():
    return json.dumps({"app": "shop", "purpose": "product", "window": shop.window(), "dimension": "query", "value": "apple pie"}).encode()


def first():
    """One that nothing proves: it is read to its end, and counts nobody."""
    return json.dumps({"app": "shop", "metric": "finds", "period": "day", "start": int(time.time()) // 86400 * 86400,
                       "cell": {"channel": "email"}, "proof": "A" * 390}).encode()


def withdrawal():
    return json.dumps({"app": "shop", "purpose": "product", "window": shop.window(), "id": "00" * 16}).encode()


# Addresses that take something, with a body each and what they say of one that is read to its end.
ROUTES = (("/v1/batches", shop.body, b"accepted"), ("/v1/preview", preview, b"counted"), ("/v1/reveals", reveal, b"not_asked"),
          ("/v1/firsts", first, b"unproved_first"))


def word(status, body, taken):
    """What became of a request, in one word."""
    return "out" if b"opted_out" in body else "in" if taken in body else status


def outcomes(house, *headers):
    """What each route makes of a request's headers."""
    found = set()
    for path, body, taken in ROUTES:
        status, _, answer = ask(house.port, "POST", path, body(), *headers)
        found.add(word(status, answer, taken))
    return found


class Sealer:
    """Seals requests for a daemon, with any fields."""

    def __init__(self, house):
        listed = ask(house.port, "GET", "/v1/ohttp-keys")[2]
        self.house, self.key = house, listed[:2 + int.from_bytes(listed[:2], "big")]

    def ask(self, path, body, fields=(), *outside):
        """Status and body of the answer within."""
        section = b"".join(prefixed(name.encode("latin-1")) + prefixed(value.encode("latin-1")) for name, value in fields)
        control = b"".join(prefixed(part) for part in (b"POST", b"https", b"", path.encode()))
        client = Client(self.key, "x25519", "aes128", b"\0" + control + prefixed(section) + prefixed(body) + b"\0")
        status, _, answer = ask(self.house.port, "POST", "/v1/ohttp", client.bytes, "content-type: message/ohttp-req", *outside)
        check(status == 200, "outside", path, "is answered with", status, answer)
        status, _, answer = parsed(client.open(answer))
        return status, answer

    def outcomes(self, fields):
        return {word(*self.ask(path, body(), fields), taken) for path, body, taken in ROUTES}


def opt_outs(house):
    """However a signal is spelled, every route says the same of it, direct and sealed. RequestHeadersTests have more spellings."""
    sealer = Sealer(house)
    cases = [([f"{name}:{value}"], True) for name in ("Sec-GPC", "sec-gpc", "DNT", "dNt")
             for value in ("1", " 1\t", "1, 0", "0 ,\t1", "1 ;a")]
    cases += [([f"{name}: {value}"], False) for name in ("Sec-GPC", "DNT") for value in ("", "0", "11", "true", "1 1", '"1"', "\xb9")]
    cases += [(["Sec-GPC: 0", "sec-gpc: 1"], True), (["Sec-GPC: 0", "sec-gpc: 0"], False), (["X-Sec-GPC: 1"], False),
              (["Sec-GPC: 0", "DNT: 1 "], True), ([], False)]
    wrong = []
    for headers, is_on in cases:
        found = outcomes(house, *headers)
        if found != {"out" if is_on else "in"}:
            wrong.append((headers, found))
        # In a sealed request names are in lower case, and no spaces stand around values: with them it is no request.
        raw = [tuple(header.split(":", 1)) for header in headers]
        fields = [(name.lower(), value.strip(" \t")) for name, value in raw]
        found = sealer.outcomes(fields)
        if found != {"out" if is_on else "in"} and not (found == {400} and any("\xb9" in value for _, value in fields)):
            wrong.append(("sealed", headers, found))
        if raw != fields and (found := sealer.outcomes(raw)) != {400}:
            wrong.append(("sealed as it is", headers, found))
    check(not wrong, len(wrong), "of", len(cases), "spellings are read in another way:", wrong[:5])
    # What the relay says of itself is nobody's signal.
    status, body = sealer.ask("/v1/batches", shop.body(), (), "sec-gpc: 1", "dnt: 1")
    check(status == 202 and b"opted_out" not in body, "signals outside count:", status, body)
    check(outcomes(house, "Sec-GPC : 1") == {400}, "a space before the colon")
    folded = outcomes(house, "Sec-GPC:\r\n 1")
    check(len(folded) == 1 and "in" not in folded, "a folded line is read in several ways:", folded)
    say(f"{len(cases)} spellings of a signal are read alike by {len(ROUTES)} routes, direct and sealed")


def origins():
    """Pages that are not listed send nothing, by any route; nor does who names two."""
    house = daemon.Daemon(PLAN, THRONG_INTAKE_ORIGINS="https://shop.example").start()
    good, evil = "Origin: https://shop.example", "Origin: https://evil.example"
    cases = [([], "in"), ([good], "in"), (["origin:https://SHOP.example \t"], "in"), ([evil], 403), (["Origin: null"], 403),
             ([evil, good], 403), ([good, good], 403), (["Origin: https://evil.example, https://shop.example"], 403)]
    wrong = [(headers, found) for headers, expected in cases if (found := outcomes(house, *headers)) != {expected}]
    check(not wrong, "origins are read in another way:", wrong)
    for path, body in (("/v1/batches", shop.body()), ("/v1/preview", preview()), ("/v1/reveals", reveal()), ("/v1/firsts", first()),
                       ("/v1/withdraw", withdrawal()), ("/v1/credentials", b"{}"), ("/v1/ohttp", b"sealed")):
        for headers, allowed in (([good], "https://shop.example"), ([evil], None), ([good, evil], None)):
            status, found, answer = ask(house.port, "POST", path, body, *headers)
            check(found.get("access-control-allow-origin") == allowed, path, headers, "is answered with", found)
            check(allowed or json.loads(answer)["error"] == "origin_not_allowed", path, headers, status, answer)
    posts = {path for path, each in json.loads(ask(house.port, "GET", "/v1/openapi.json")[2])["paths"].items() if "post" in each}
    # A page of what is counted tries an event, and counts nothing.
    check(len(posts) == 8 and "/apps/{app}" in posts, "addresses that take POST are", posts)
    # Refused before its body is looked at.
    for path in ("/v1/preview", "/v1/withdraw", "/v1/reveals", "/v1/firsts"):
        with Line(house.port) as line:
            line.socket.sendall(f"POST {path} HTTP/1.1\r\nhost: x\r\n{evil}\r\ncontent-length: 100\r\n\r\n".encode())
            check(line.answer()[0] == 403, path, "waits for the body of a page that may not send")
    check(house.stop() == 0, "serve stops gracefully")
    say(f"{len(cases)} ways to name an origin are read alike by four routes")


def hosts(house):
    """One host, well formed, at every port; a target that names one wins. RequestHeadersTests have more of them."""
    wrong = []
    ports = {"clients": (house.port, "/healthz"), "metrics": (house.metrics_port, "/metrics"), "portal": (house.portal_port, "/")}
    rows = [("Host:x:80 ", "1.1", 200), (None, "1.1", 400), ("host: x\r\nHOST: y", "1.1", 400), ("host: a@b", "1.1", 400),
            (None, "1.0", 200), ("host: x\r\nhost: y", "1.0", 400)]
    for who, (port, path) in ports.items():
        for host, version, expected in rows:
            status, headers, body = ask(port, "GET", path, host=host, version=version)
            is_told = expected != 400 or headers.get("connection") == "close" and json.loads(body)["error"] == "bad_host"
            if status != expected or not is_told:
                wrong.append((who, host, version, status, headers, body))
        for target, expected in ((f"HTTP://x:1{path}", 200), (f"http://u@x{path}", 400), (f"ftp://x{path}", 400)):
            status = ask(port, "GET", target)[0]
            if status != expected:
                wrong.append((who, target, status))
    check(not wrong, "hosts:", wrong)
    # A page whose name leads here reads nothing of what no token guards.
    for path in ("/metrics", "/readyz", "/healthz"):
        for host, expected in ((f"evil.example:{house.metrics_port}", 421), ("localhost", 200), ("localhost.evil.example", 421)):
            status, _, body = ask(house.metrics_port, "GET", path, host=f"host: {host}")
            check(status == expected, path, "by", host, "is answered with", status)
            check(status == 200 or json.loads(body)["error"] == "unknown_host", body)
    status, _, body = ask(house.port, "POST", "http://any.example/v1/batches", shop.body())
    check(status == 202, "a batch to an absolute target is answered with", status, body)
    # A form is from here if it says the host that was asked, which is the target's.
    for origin, expected in (("http://real.example", b"not known"), ("http://x", b"another site")):
        body = ask(house.portal_port, "POST", "http://real.example/sign-in", b"token=x", f"origin: {origin}")[2]
        check(expected in body, "a form of", origin, "is answered with", body[-900:])
    # What is wrong with a request is said in its turn, and nothing is read after it.
    with Line(house.port) as line:
        line.socket.sendall(request("POST", "/v1/batches", shop.body()) + request("POST", "/v1/batches", b"1234", host=None)
                            + request("GET", "/healthz"))
        check([line.answer()[0] for _ in range(2)] == [202, 400], "answers come in another order")
        with contextlib.suppress(ConnectionResetError):
            check(not line.rest and line.socket.recv(100) == b"", "what follows a request to nobody is answered")
    say("requests name one host, whoever is asked")


class House(daemon.Daemon):
    """With pages, too."""

    def __init__(self, **settings):
        super().__init__(PLAN, **settings)
        self.portal_port = daemon.free_ports(1)[0]


def test():
    house = House().start()
    hosts(house)
    opt_outs(house)
    check(house.stop() == 0, "serve stops gracefully")
    origins()
