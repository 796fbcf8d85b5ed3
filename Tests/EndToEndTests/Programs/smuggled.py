"""Requests within requests: whatever somebody hides in a request, directly or behind a proxy, other people's answers are theirs."""

import itertools
import json
import re
import socket

import careless
import daemon
import stock_proxies
import shop
from daemon import check, say

HIDDEN = b"GET /hidden HTTP/1.1\r\nhost: x\r\nx: "
LONG = b"POST /v1/preview HTTP/1.1\r\nhost: x\r\ncontent-length: 300\r\n\r\n"


def payloads():
    """By name: a request of which one reader may see an end where another sees none, with another request in it."""
    found = {}

    def add(name, head, body, method=b"POST", target=b"/v1/batches", version=b"HTTP/1.1"):
        start = method + b" " + target + b" " + version + b"\r\nhost: count.example.com\r\n"
        for kind, hidden in (("", HIDDEN), (" long", LONG)):
            # What is hidden comes after the length's end, or before it, behind the last chunk, or in a chunk of which the length
            # has the first line alone.
            found[name + kind] = start + head.replace(b"LENGTH", b"%d" % len(body)) + b"\r\n\r\n" + body + hidden
            if b"LENGTH" in head:
                whole = b"%d" % len(body + hidden)
                found[name + kind + " within"] = start + head.replace(b"LENGTH", whole) + b"\r\n\r\n" + body + hidden
            if b"LENGTH" in head and body == b"0\r\n\r\n":
                line = b"%x\r\n" % len(hidden)
                chunked = start + head.replace(b"LENGTH", b"%d" % len(line)) + b"\r\n\r\n"
                found[name + kind + " chunk"] = chunked + line + hidden + b"\r\n0\r\n\r\n"

    codings = [b"chunked", b" chunked", b"chunked ", b"\tchunked", b"CHUNKED", b"xchunked", b"chunkedx", b'"chunked"', b"chunk",
               b"chunked, identity", b"identity, chunked", b"gzip, chunked", b"chunked, chunked", b"chunked;q=1", b"chunked,",
               b",chunked", b"\x0bchunked", b"\x0cchunked", b"chunked\x0b", b"\x00chunked", b"chunked\x00", b"\xa0chunked",
               b"chu\xc5\x86ked", b"identity", b"", b"cow"]
    names = [b"transfer-encoding", b"Transfer-Encoding ", b" Transfer-Encoding", b"Transfer_Encoding", b"TRANSFER-ENCODING",
             b"transfer\x00-encoding", b"transfer-encoding\t", b"x\r\ntransfer-encoding", b"x: y\ntransfer-encoding",
             b"x: y\rtransfer-encoding", b"\x0btransfer-encoding", b"x:\r\n transfer-encoding"]
    # Who reads the length ends after the body; who reads chunks ends at the first.
    for coding in codings:
        add(f"length and coding {coding}", b"content-length: LENGTH\r\ntransfer-encoding:" + coding, b"0\r\n\r\n")
        add(f"coding {coding} and length", b"transfer-encoding: " + coding + b"\r\ncontent-length: LENGTH", b"0\r\n\r\n")
    for name in names:
        add(f"name {name}", b"content-length: LENGTH\r\n" + name + b": chunked", b"0\r\n\r\n")
        add(f"two codings, one {name}", b"transfer-encoding: cow\r\n" + name + b": chunked\r\ncontent-length: LENGTH", b"0\r\n\r\n")
    for version in (b"HTTP/1.0", b"HTTP/1.2", b"HTTP/2.0", b"HTTP/0.9", b"http/1.1", b"HTTP/1.1 ", b"HTTP/01.1", b""):
        add(f"version {version}", b"content-length: LENGTH\r\ntransfer-encoding: chunked", b"0\r\n\r\n", version=version)
    lengths = [b"+5", b"-5", b"5 ", b" 5", b"\t5", b"05", b"0x5", b"5,5", b"5, 5", b"5,0", b"0,5", b"5;", b"5.0", b"5e0", b"5\x00",
               b"\x0b5", b"5 5", b"", b"five", b"18446744073709551621", b"9223372036854775808", b"4294967301", b"\xd9\xa5", b"5\t"]
    for length in lengths:
        add(f"length {length}", b"content-length:" + length, b"12345")
        for other in (b"LENGTH", b"0"):
            add(f"lengths {other} and {length}", b"content-length: " + other + b"\r\ncontent-length: " + length, b"12345")
            add(f"lengths {length} and {other}", b"content-length: " + length + b"\r\nContent-Length: " + other, b"12345")
    for name in (b"content-length ", b" content-length", b"content_length", b"content-length\x00", b"x: y\ncontent-length",
                 b"x: y\rcontent-length", b"x:\r\n content-length", b"content\xadlength"):
        add(f"length's name {name}", name + b": LENGTH", b"12345")
        add(f"length 0 and {name}", b"content-length: 0\r\n" + name + b": LENGTH", b"12345")
    chunks = [b"0\r\n\r\n", b"00\r\n\r\n", b"0;x\r\n\r\n", b"0; x=y\r\n\r\n", b"0 \r\n\r\n", b" 0\r\n\r\n", b"+0\r\n\r\n", b"-0\r\n\r\n",
              b"0x0\r\n\r\n", b"0\n\r\n", b"0\r\n\n", b"0\n\n", b"0\r\r\n\r\n", b"0;\n\r\n\r\n", b'0;x="\r\n\r\n"\r\n\r\n', b"0\r\nx: y\r\n\r\n",
              b"0\r\ncontent-length: 60\r\n\r\n", b"0\r\ntransfer-encoding: chunked\r\n\r\n", b"0\r\nx\r\n\r\n", b"5\r\n12345\r\n0\r\n\r\n",
              b"5\r\n12345X\r\n0\r\n\r\n", b"5\r\n12345\n0\r\n\r\n", b"5\r\n1234567\r\n0\r\n\r\n", b"5 ;x\r\n12345\r\n0\r\n\r\n",
              b"5\x00\r\n12345\r\n0\r\n\r\n", b"ffffffffffffffff5\r\n12345\r\n0\r\n\r\n", b"10000000000000005\r\n12345\r\n0\r\n\r\n",
              b"7fffffffffffffff\r\n12345\r\n0\r\n\r\n", b"\r\n0\r\n\r\n", b"5\r\n12345\r\n\r\n0\r\n\r\n", b"g\r\n\r\n", b"0" * 40 + b"\r\n\r\n"]
    for chunk in chunks:
        add(f"chunk {chunk}", b"transfer-encoding: chunked", chunk)
        add(f"chunk {chunk} and length", b"transfer-encoding: chunked\r\ncontent-length: LENGTH", chunk)
    for method, target in itertools.product((b"GET", b"HEAD", b"DELETE", b"CONNECT", b"OPTIONS", b"PRI", b"G\x00ET", b"get"),
                                            (b"/healthz", b"http://x/healthz", b"*", b"/healthz?\t", b"//x/healthz", b"/he althz", b"x:80")):
        add(f"{method} {target} with a body", b"content-length: 0", b"", method, target)
        add(f"{method} {target} with chunks", b"transfer-encoding: chunked", b"0\r\n\r\n", method, target)
    for extra in (b"expect: 100-continue", b"expect: 100-continuE, x", b"upgrade: h2c\r\nconnection: upgrade, http2-settings\r\nhttp2-settings: AAMAAABk",
                  b"connection: content-length", b"connection: transfer-encoding", b"connection: host", b"connection: close, keep-alive",
                  b"keep-alive: max=1", b"te: trailers", b"trailer: content-length", b"max-forwards: 0", b"x-http-method-override: GET",
                  b"host: evil", b"host :evil", b"x-forwarded-host: evil", b"forwarded: host=evil", b"proxy-connection: keep-alive"):
        add(f"with {extra}", b"content-length: LENGTH\r\n" + extra, b"12345")
        add(f"chunks with {extra}", b"transfer-encoding: chunked\r\n" + extra, b"0\r\n\r\n")
    for end in (b"\n", b"\r", b"\r\r\n", b"\n\r\n", b"\x0b\r\n", b"\x00\r\n"):
        found[f"lines end with {end}"] = end.join([b"POST /v1/batches HTTP/1.1", b"host: count.example.com", b"content-length: LENGTH", b"", b"12345"]) + HIDDEN
        found[f"before it {end}"] = end + b"GET /healthz HTTP/1.1\r\nhost: count.example.com\r\n" + end + b"x: y\r\n\r\n" + HIDDEN
    return found


def victim(body):
    return (b"POST /v1/batches HTTP/1.1\r\nhost: count.example.com\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(body)
            + body)


def answers(connection, most, seconds):
    """The statuses that come within a time, and whether the connection was closed."""
    connection.settimeout(seconds)
    found = b""
    try:
        while len(re.findall(rb"HTTP/1\.[01] \d", found)) < most:
            piece = connection.recv(1 << 16)
            if not piece:
                return found, True
            found += piece
    except TimeoutError:
        return found, False
    except OSError:
        return found, True
    return found, False


class Way:
    """How people reach the daemon."""

    def __init__(self, name, connect):
        self.name, self.connect, self.asked = name, connect, 0

    def check_victims(self, name, count=3):
        """Other people's batches, on connections of their own, each with its own answer."""
        for number in range(count):
            # The answer tells which request it is for: so many events of each kind.
            good = 1 + (self.asked + number) % 5
            body = json.dumps(shop.batch(f"victim {self.name} {self.asked + number}", events=[shop.event() for _ in range(good)] + [shop.event("nothing")])).encode()
            with self.connect() as connection:
                connection.sendall(victim(body))
                # Less than a careless relay waits, which asks twice: what a hidden request holds up is found, a busy disk is not.
                found, _ = answers(connection, 1, 45)
            head, _, rest = found.partition(b"\r\n\r\n")
            answer = json.loads(rest) if rest[:1] == b"{" else {}
            check(b" 202" in head.split(b"\r\n")[0] and answer.get("accepted") == good and len(answer["refused"]) == 1, self.name,
                  "after", name, "a victim that sent", good, "events is answered", found)
        self.asked += count


def direct(house, all_payloads):
    """Without a proxy: what comes behind a request whose end is in doubt is never answered."""
    way = Way("direct", lambda: socket.create_connection(("127.0.0.1", house.port), 60))
    counts = {"closed": 0, "waits": 0, "goes on": 0}
    for name, payload in all_payloads.items():
        with way.connect() as connection:
            connection.sendall(payload + b"y\r\n\r\n" if payload.endswith(HIDDEN) else payload)
            found, closed = answers(connection, 3, 0.15)
        statuses = [int(status) for status in re.findall(rb"HTTP/1\.[01] (\d+)", found)]
        check(all(status < 500 or status in (501, 503, 505) for status in statuses), name, "is answered with", statuses)
        # Hidden bytes may be a request of their own only behind one whose end is not in doubt.
        counts["closed" if closed else "goes on" if len(statuses) > 1 else "waits"] += 1
    way.check_victims("all")
    say(f"directly: of {len(all_payloads)} requests with others in them", counts)


def refused(house, all_payloads):
    """With a length and a coding, or two lengths, nothing behind it is answered: the connection ends."""
    wrong, count = [], 0
    for name, payload in all_payloads.items():
        head = payload.split(b"\r\n\r\n")[0] + b"\r"
        lengths = re.findall(rb"(?im)^content-length:", head)
        if len(lengths) < 2 and not (lengths and re.search(rb"(?im)^transfer-encoding:", head)):
            continue
        count += 1
        with socket.create_connection(("127.0.0.1", house.port), 60) as connection:
            connection.sendall(payload + b"y\r\n\r\n" + b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n" * 2)
            found, closed = answers(connection, 9, 0.3)
        statuses = re.findall(rb"HTTP/1\.[01] (\d+)", found)
        if len(statuses) > 1 or b"404" in statuses:
            wrong.append((name, statuses, closed))
    check(not wrong, len(wrong), "requests whose end is in doubt are followed by others:", wrong[:10])
    say(f"{count} requests whose end is in doubt end their connection")


def behind(proxy, all_payloads):
    way = Way(proxy.kind, lambda: proxy.connect(60))
    way.check_victims("nothing", 10)
    for place, (name, payload) in enumerate(all_payloads.items()):
        try:
            with way.connect() as connection:
                connection.sendall(payload)
                answers(connection, 1, 0.05)
        except OSError:
            pass
        # The connections to the daemon are shared and few: who is hidden meets whoever comes next.
        way.check_victims(name, 2)
    say(f"behind {proxy.kind}: {len(all_payloads)} requests with others in them, {way.asked} batches of others, each with its own answer")


def control(all_payloads):
    """Between a relay and a server that read requests in two ways somebody gets another one's answer, and it is found."""
    server = careless.Server()
    relay = careless.Relay(server.port)
    some = {name: payload for name, payload in all_payloads.items() if name.startswith("length and coding b'chunked'") and "within" in name}
    try:
        behind(relay, some)
    except daemon.Failure:
        return say("between two careless ones it is found")
    finally:
        relay.stop()
        server.stop()
    raise daemon.Failure("nothing was found between two careless ones")


def test():
    house = daemon.Daemon(shop.plan()).start()
    all_payloads = payloads()
    check(len(all_payloads) >= 300, "there are", len(all_payloads), "payloads")
    direct(house, all_payloads)
    refused(house, all_payloads)
    for kind in ("nginx", "haproxy"):
        proxy = stock_proxies.Proxy(kind, house.port)
        try:
            behind(proxy, all_payloads)
        finally:
            proxy.stop()
    relay = careless.Relay(house.port)
    behind(relay, all_payloads)
    relay.stop()
    control(all_payloads)
    check(house.stop() == 0, "serve stops gracefully")


if __name__ == "__main__":
    daemon.main(test)
