"""Seventy thousand requests that somebody bent: the daemon lives, answers them with nothing from 500 on but the documented 503, and
counts what others send meanwhile."""

import gzip
import json
import multiprocessing
import os
import random
import re
import socket
import time

import daemon
import door
import sealed_http
from daemon import check, say
from line import Line, ask, request
from oblivious import message

COUNT = int(os.environ.get("THRONG_TEST_BENT", "70000"))
SEED = int(os.environ.get("THRONG_TEST_SEED", "20261126"))
TOGETHER = 5
WORDS = [
    b"\r\n", b"\n", b"\0", b"host: x\r\n", b"content-length: 5\r\n", b"content-length: 0\r\n", b"transfer-encoding: chunked\r\n",
    b"0\r\n\r\n", b"content-encoding: gzip\r\n", b"expect: 100-continue\r\n", b"upgrade: h2c\r\n", b"connection: close\r\n",
    b"sec-gpc: 1\r\n", b"origin: null\r\n", b"HEAD ", b"OPTIONS ", b"PUT ", b" HTTP/1.0", b" HTTP/2.0", b"/v1/batches", b"/../", b"%00",
    b"\xff\xfe", b"\\u0000", b"null", b"[[[[[[[[[", b"9" * 40, b'"events":', b'{"a":', b"1e999", b"-%d" % 2**63, b"\xed\xa0\x80"]


def seeds(house):
    key = ask(house.port, "GET", "/v1/ohttp-keys")[2]
    inner = sealed_http.Client(key[:2 + int.from_bytes(key[:2], "big")], "x25519", "aes128", message("POST", "/v1/batches", door.batch()))
    packed = gzip.compress(door.batch())
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (door.batch()[:50], door.batch()[50:])) + b"0\r\n\r\n"
    return [
        request("POST", "/v1/batches", door.batch()), request("POST", "/v1/batches", packed, "content-encoding: gzip"),
        b"POST /v1/batches HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n" + chunks,
        request("POST", "/v1/preview", door.preview()), request("POST", "/v1/reveals", door.reveal()),
        request("POST", "/v1/withdraw", door.withdrawal()), request("POST", "/v1/firsts", door.first()),
        request("POST", "/v1/ohttp", inner.bytes, "content-type: message/ohttp-req"), request("GET", "/v1/ohttp-keys"),
        request("GET", "/v1/plan/shop", b"", "accept-language: de;q=0.5, en", 'if-none-match: "x"'), request("GET", "/apps/shop"),
        request("POST", "/apps/shop", b"event=view&fields=%7B%7D", "content-type: application/x-www-form-urlencoded"),
        request("GET", "/healthz"), request("GET", "/readyz"), request("GET", "/throng.js", b"", "accept-encoding: gzip"),
        b"OPTIONS /v1/batches HTTP/1.1\r\nhost: x\r\norigin: https://a.example\r\naccess-control-request-method: POST\r\n\r\n"]


def bent(chance, some):
    """One of them with a few changes; one in eight as it was. Two in three are changed in their bodies alone, and say how long
    these are: what follows is read, too."""
    whole = chance.choice(some)
    head, _, body = whole.partition(b"\r\n\r\n")
    if not body or b"content-length" not in head or chance.random() < 0.33:
        return changed(chance, whole, some)
    body = changed(chance, body, [each.partition(b"\r\n\r\n")[2] or b"{}" for each in some])
    return re.sub(rb"content-length: \d+", b"content-length: %d" % len(body), head) + b"\r\n\r\n" + body


def changed(chance, whole, some):
    raw = bytearray(whole)
    for _ in range(chance.choice((0, 1, 1, 1, 1, 2, 3, 4))):
        place = chance.randrange(len(raw) + 1)
        end = min(len(raw), place + chance.randrange(1, 17))
        way = chance.randrange(8)
        if way == 0 and place < len(raw):
            raw[place] ^= 1 << chance.randrange(8)
        elif way == 1:
            raw[place:place] = bytes([chance.randrange(256)])
        elif way == 2:
            del raw[place:end]
        elif way == 3:
            raw[place:place] = raw[place:end]
        elif way == 4:
            other = chance.choice(some)
            raw[place:] = other[chance.randrange(len(other)):]
        elif way == 5:
            # Digits of a length, a window, a version.
            raw = bytearray(re.sub(rb"\d", lambda found: b"%d" % chance.randrange(10) if chance.random() < 0.1 else found[0], bytes(raw)))
        else:
            raw[place:place] = chance.choice(WORDS)
    return bytes(raw)


def send(port, seed, count, some, found):
    """Sends them, a few on each connection; what was answered, and what never was."""
    chance, statuses, odd = random.Random(seed), {}, []
    for _ in range(count // TOGETHER):
        whole = b"".join(bent(chance, some) for _ in range(TOGETHER))
        answers = b""
        try:
            with socket.create_connection(("127.0.0.1", port), 20) as one:
                one.sendall(whole)
                one.shutdown(socket.SHUT_WR)
                while piece := one.recv(1 << 16):
                    answers += piece
        except TimeoutError:
            odd.append(("open for 20 s", whole))
        except OSError:
            # Closed before all of it was sent.
            pass
        for status in re.findall(rb"HTTP/1\.[01] (\d{3}) ", answers):
            statuses[int(status)] = statuses.get(int(status), 0) + 1
            if status >= b"500" and status != b"503":
                odd.append((int(status), whole))
    found.put((statuses, odd[:3]))


def test():
    house = door.House().start()
    some, found = seeds(house), multiprocessing.Queue()
    makers = [multiprocessing.Process(target=send, args=(house.port, SEED + number, COUNT // 4, some, found), daemon=True)
              for number in range(4)]
    started = time.monotonic()
    for maker in makers:
        maker.start()
    others = 0
    while any(maker.is_alive() for maker in makers) and found.qsize() < len(makers):
        status, _, answer = ask(house.port, "POST", "/v1/batches", door.batch(identifier=f"other {others}"))
        check(status == 202 and json.loads(answer)["accepted"] == 1, "beside them a batch is answered with", status, answer)
        others += 1
        time.sleep(0.05)
    statuses, odd = {}, []
    for _ in makers:
        part, strange = found.get(timeout=300)
        odd += strange
        for status, count in part.items():
            statuses[status] = statuses.get(status, 0) + count
    for maker in makers:
        maker.join(20)
    check(not odd, "answers that must not be:", odd[:2])
    check(house.process.poll() is None, "the daemon ended with", house.process.returncode)
    check(statuses.get(202, 0) > COUNT // 100 and statuses.get(400, 0) > COUNT // 100, "most are not even read:", statuses)
    with Line(house.port) as line:
        line.socket.sendall(request("GET", "/readyz"))
        check(line.answer()[0] == 200, "afterwards the daemon is not ready")
    check(house.stop() == 0, "serve stops gracefully")
    say(f"{COUNT:,} bent requests in {time.monotonic() - started:.0f} s, {others} of others beside them:", dict(sorted(statuses.items())))


if __name__ == "__main__":
    daemon.main(test)
