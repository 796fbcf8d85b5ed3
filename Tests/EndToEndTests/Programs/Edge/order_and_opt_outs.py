"""The door, by raw sockets and sealed: requests of one connection are answered in their order, however they are cut, and however an
opt-out signal is spelled, every route says the same of it, also of what it finds in a sealed request."""

import gzip
import itertools
import random
import time

import daemon
import hosts_and_silence
from daemon import check, say
from raw_http import Line, ask, request
from oblivious import parsed, prefixed
from sealed_http import Client


class Sealer:
    """Seals requests for a daemon, with any fields."""

    def __init__(self, house):
        listed = ask(house.port, "GET", "/v1/ohttp-keys")[2]
        self.key = listed[:2 + int.from_bytes(listed[:2], "big")]

    def client(self, method, path, body=b"", fields=()):
        section = b"".join(prefixed(name.encode("latin-1")) + prefixed(value.encode("latin-1")) for name, value in fields)
        control = b"".join(prefixed(part) for part in (method.encode(), b"https", b"", path.encode()))
        return Client(self.key, "x25519", "aes128", b"\0" + control + prefixed(section) + prefixed(body) + b"\0")

    @staticmethod
    def outer(client):
        return request("POST", "/v1/ohttp", client.bytes, "content-type: message/ohttp-req")


# In their order


def kinds(house):
    sealer = Sealer(house)
    packed = gzip.compress(hosts_and_silence.batch().ljust(70_000), 1)
    return {
        "get": (lambda: request("GET", "/healthz"), 200),
        "keys": (lambda: request("GET", "/v1/ohttp-keys"), 200),
        "preview": (lambda: request("POST", "/v1/preview", hosts_and_silence.preview()), 200),
        "batch": (lambda: request("POST", "/v1/batches", hosts_and_silence.batch()), 202),
        "sealed": (lambda: sealer.outer(sealer.client("POST", "/v1/batches", hosts_and_silence.batch())), 200),
        "bad": (lambda: request("POST", "/v1/batches", b"x"), 400),
        "unsealed": (lambda: request("POST", "/v1/ohttp", b"x", "content-type: message/ohttp-req"), 400),
        "large": (lambda: request("POST", "/v1/batches", packed, "content-encoding: gzip"), 202),
        "lost": (lambda: request("GET", "/nowhere"), 404),
    }


def answered(house, bytes_, count):
    """The statuses of a connection's answers, as many as come, and how long they took."""
    with Line(house.port, 120) as line:
        for piece in bytes_:
            line.socket.sendall(piece)
        started = time.monotonic()
        found = []
        try:
            for _ in range(count):
                found.append(line.answer()[0])
        except TimeoutError:
            pass
        return found, time.monotonic() - started


def in_order(house):
    """All orders of one and two requests, some of three, and a hundred at once; in one piece, and byte by byte."""
    all_kinds = kinds(house)
    orders = [order for count in (1, 2) for order in itertools.product(all_kinds, repeat=count)]
    orders += random.sample(list(itertools.product(all_kinds, repeat=3)), 120)
    rounds = [(order, is_split) for order in orders for is_split in (False, True)]
    rounds += [(random.choices(list(all_kinds), k=100), is_split) for is_split in (False, False, True)]
    rounds += [(["batch"] * 100, False), (["sealed"] * 100, False), (["get"] * 100, True)]
    late, slowest, longest = [], 0, 0
    for order, is_split in rounds:
        # What a busy machine holds up is quick another time.
        for _ in range(10):
            bytes_ = b"".join(all_kinds[kind][0]() for kind in order)
            found, took = answered(house, [bytes_] if not is_split else [bytes_[n:n + 1] for n in range(len(bytes_))], len(order))
            is_right = found == [all_kinds[kind][1] for kind in order]
            if not is_right or took < 1 or len(order) == 100:
                break
        slowest, longest = (max(slowest, took), longest) if len(order) < 100 else (slowest, max(longest, took))
        if not is_right:
            late.append((list(order)[:8], is_split, found[:8], len(found)))
        # Each of these may have taken minutes.
        if len(late) == 3 or slowest >= 1:
            break
    check(not late, len(late), "of", len(rounds), "orders are not answered in turn, such as", late)
    check(slowest < 1, "up to three requests wait", slowest, "s for their answers")
    # Each batch of a long line waits for the disk.
    check(longest < 60, "a hundred requests wait", longest, "s for their answers")
    say(f"{len(rounds)} orders of requests are answered in turn, the slowest in {slowest:.2f} s, of a hundred in {longest:.2f} s")


# Alike


def sealed_outcomes(house, sealer, fields):
    """What each route makes of the fields of a sealed request, in one word."""
    words = {}
    for path, body in (("/v1/batches", hosts_and_silence.batch()), ("/v1/preview", hosts_and_silence.preview()), ("/v1/reveals", hosts_and_silence.reveal()),
                       ("/v1/firsts", hosts_and_silence.first())):
        client = sealer.client("POST", path, body, fields)
        status, _, answer = ask(house.port, "POST", "/v1/ohttp", client.bytes, "content-type: message/ohttp-req")
        check(status == 200, "outside", path, "is answered with", status, answer)
        status, _, answer = parsed(client.open(answer))
        taken = {"/v1/reveals": b"not_asked", "/v1/firsts": b"unproved_first"}.get(path)
        is_in = taken in answer if taken else status in (200, 202)
        words[path] = "out" if b"opted_out" in answer else "in" if is_in else status
    return words


def opt_outs(house):
    """However a signal is spelled, every route says the same of it."""
    sealer = Sealer(house)
    on = ["1", " 1", "1 ", "1\t", "\t1 \t", "1, 1", "1,0", "0, 1", ",1", "1,", "1;a=b", "1 ;a", "0 ,\t1"]
    off = ["", "0", "01", "11", "true", "?1", "1 1", '"1"', "0 ", "1.0", "+1", "\xb9", "1\xa0", "0;1"]
    cases = [([f"{name}:{value}"], True) for name in ("Sec-GPC", "sec-gpc", "SEC-GPC", "sEc-gPc", "DNT", "dnt", "Dnt")
             for value in on]
    cases += [([f"{name}: {value}"], False) for name in ("Sec-GPC", "DNT") for value in off]
    cases += [([f"Sec-GPC: {one}", f"sec-gpc: {other}"], "1" in (one.strip(), other.strip()))
              for one in ("0", "1", "1 ") for other in ("0", "1", "\t1")]
    cases += [(["X-Sec-GPC: 1"], False), (["Sec-GPC: 0", "DNT: 1 "], True), ([], False)]
    wrong = []
    for headers, is_on in cases:
        word = "out" if is_on else "in"
        found = hosts_and_silence.outcomes(house, *headers)
        if set(found.values()) != {word}:
            wrong.append((headers, found))
        # In a sealed request names are in lower case, and no spaces stand around values: with them it is no request.
        fields = [header.split(":", 1) for header in headers]
        found = sealed_outcomes(house, sealer, [(name.lower(), value.strip(" \t")) for name, value in fields])
        if set(found.values()) != {word} and not (set(found.values()) == {400} and any("\xa0" in v or "\xb9" in v for _, v in fields)):
            wrong.append(("sealed", headers, found))
        raw = [(name, value) for name, value in fields]
        if any(name != name.lower() or value != value.strip(" \t") for name, value in raw):
            found = sealed_outcomes(house, sealer, raw)
            if set(found.values()) != {400}:
                wrong.append(("sealed as it is", headers, found))
    check(not wrong, len(wrong), "of", len(cases), "spellings are read in another way:", wrong[:5])
    # What the relay says of itself is nobody's signal.
    client = sealer.client("POST", "/v1/batches", hosts_and_silence.batch())
    answer = ask(house.port, "POST", "/v1/ohttp", client.bytes, "content-type: message/ohttp-req", "sec-gpc: 1", "dnt: 1")[2]
    status, _, body = parsed(client.open(answer))
    check(status == 202 and b"opted_out" not in body, "signals outside count:", status, body)
    check(hosts_and_silence.outcomes(house, "Sec-GPC : 1") == dict.fromkeys(("batches", "preview", "reveals", "firsts"), 400),
          "a space before the colon")
    folded = hosts_and_silence.outcomes(house, "Sec-GPC:\r\n 1")
    check(len(set(folded.values())) == 1 and "in" not in folded.values(), "a folded line is read in several ways:", folded)
    say(f"{len(cases)} spellings of a signal are read alike by four routes, direct and sealed")


def test():
    house = hosts_and_silence.House().start()
    opt_outs(house)
    in_order(house)
    check(house.stop() == 0, "serve stops gracefully")


if __name__ == "__main__":
    daemon.main(test)
