"""One network that asks as fast as it can, by many short connections or by many requests on each: others get their answers."""

import multiprocessing
import os
import selectors
import socket
import time

import daemon
import door
from daemon import check, say
from line import Line, request

CROWD, OTHERS = "127.0.1.", "127.0.2."
# Longer than anybody waits without turns.
PATIENCE = 120
SECONDS = float(os.environ.get("THRONG_TEST_CROWDING", "4"))


def connect(port, network, number, seconds=10):
    return socket.create_connection(("127.0.0.1", port), seconds, source_address=(f"{network}{1 + number % 250}", 0))


def short(port, stop, count, _):
    """Connects, asks once, and goes; again and again."""
    asked = request("GET", "/healthz")
    while not stop.is_set():
        try:
            with connect(port, CROWD, count.value) as one:
                one.sendall(asked)
                one.recv(4096)
        except OSError:
            pass
        count.value += 1


def pipelined(port, stop, count, asked):
    """Keeps connections full of requests, and takes what is answered."""
    chosen = selectors.DefaultSelector()
    whole = memoryview(asked * max(1, (256 << 10) // len(asked)))
    for number in range(100):
        one = connect(port, CROWD, number)
        one.setblocking(False)
        chosen.register(one, selectors.EVENT_READ | selectors.EVENT_WRITE, [0])
    while not stop.is_set():
        for key, events in chosen.select(0.1):
            try:
                if events & selectors.EVENT_READ:
                    found = key.fileobj.recv(1 << 16)
                    if not found:
                        chosen.unregister(key.fileobj)
                        continue
                    count.value += found.count(b"HTTP/1.1 ")
                if events & selectors.EVENT_WRITE:
                    key.data[0] = (key.data[0] + key.fileobj.send(whole[key.data[0]:])) % len(whole)
            except BlockingIOError:
                pass
            except OSError:
                chosen.unregister(key.fileobj)


KINDS = {
    "short connections": (short, b""),
    "questions": (pipelined, request("GET", "/healthz")),
    "batches": (pipelined, request("POST", "/v1/batches", door.batch(identifier="crowd", id="crowd"))),
    "bad batches": (pipelined, request("POST", "/v1/batches", b"x")),
    "large bad batches": (pipelined, request("POST", "/v1/batches", b"[" * 60_000)),
    "previews": (pipelined, request("POST", "/v1/preview", door.preview())),
    "what nobody sealed": (pipelined, request("POST", "/v1/ohttp", bytes(1000), "content-type: message/ohttp-req")),
    "lost questions": (pipelined, request("GET", "/nowhere")),
}


def bystanders(house):
    """How long batches of others take, on connections that are open and on new ones, while the crowd asks."""
    waits = {"open": [], "new": []}
    lines = []
    for number in range(4):
        lines.append(Line(house.port, PATIENCE))
    started = time.monotonic()
    while time.monotonic() - started < SECONDS:
        for number, line in enumerate(lines):
            for kind in waits:
                sent = time.monotonic()
                if kind == "open":
                    line.socket.sendall(request("POST", "/v1/batches", door.batch(identifier=f"other {number}")))
                    status = line.answer()[0]
                else:
                    with Line(house.port, PATIENCE) as new:
                        new.socket.close()
                        new.socket = connect(house.port, OTHERS, number, PATIENCE)
                        new.socket.sendall(request("POST", "/v1/batches", door.batch(identifier=f"other {number}")))
                        status = new.answer()[0]
                check(status == 202, "beside a crowd a batch of others is answered with", status)
                waits[kind].append(time.monotonic() - sent)
            time.sleep(0.005)
    for line in lines:
        line.socket.close()
    return {kind: (sorted(all_)[len(all_) // 2], sorted(all_)[int(len(all_) * 0.99)]) for kind, all_ in waits.items()}


def crowd(house, name):
    work, asked = KINDS[name]
    stop = multiprocessing.Event()
    counts = [multiprocessing.Value("q", 0, lock=False) for _ in range(2)]
    makers = [multiprocessing.Process(target=work, args=(house.port, stop, count, asked), daemon=True) for count in counts]
    for maker in makers:
        maker.start()
    time.sleep(2)
    before = sum(count.value for count in counts)
    found = bystanders(house)
    rate = (sum(count.value for count in counts) - before) / SECONDS
    stop.set()
    for maker in makers:
        maker.join(20)
    # They have gone in the middle of their requests.
    gone = time.monotonic()
    with Line(house.port, PATIENCE) as line:
        line.socket.sendall(request("POST", "/v1/batches", door.batch(identifier="after")))
        check(line.answer()[0] == 202, "after a crowd a batch of others is not taken")
    gone = time.monotonic() - gone
    check(rate > 5, "the crowd gets only", rate, "answers a second")
    words = "; ".join(f"{kind} {middle * 1000:.1f} ms (p50), {high * 1000:.1f} ms (p99)" for kind, (middle, high) in found.items())
    say(f"beside a crowd of {rate:,.0f} {name} a second others wait: {words}; after it {gone * 1000:.1f} ms")
    return {(name, "after"): gone} | {(name, kind): middle for kind, (middle, _) in found.items()}


def test():
    house = door.House().start()
    middles = {}
    for name in KINDS:
        middles |= crowd(house, name)
    # Without turns it is more than 30 seconds: whoever came got no answer before the crowd had all of theirs. With them it is
    # some milliseconds, more where the crowd and others have the same two processors. Who came after a crowd waited as long as what
    # it had left behind took to be read.
    slow = {what: middle for what, middle in middles.items() if middle > 5}
    check(not slow, "beside a crowd others wait, in seconds,", slow)
    check(house.stop() == 0, "serve stops gracefully")


if __name__ == "__main__":
    daemon.main(test)
