"""What the daemon answers to requests that it must not count, in its own documented words; and that it counts none. EnvelopeTests and
GzipTests have what is just allowed, PreviewTests what a preview says."""

import contextlib
import socket
import time

import daemon
import shop
from bad_requests import bad_requests
from daemon import Failure, check, say


def nothing_counted(house, tally):
    time.sleep(1.5)
    metrics = house.metrics()
    check(metrics["throng_events_accepted_total"] == 0, "no event was accepted")
    check(metrics['throng_batches_total{outcome="refused"}'] == sum(tally.values()), "refused batches:", metrics)
    found = {error: metrics[f'throng_batches_refused_total{{reason="{error}"}}'] for error in tally}
    # A body that is too large or no gzip is refused before it is read, and so is what could not be received.
    check(found == tally, "refused by reason:", found, "not", dict(tally))
    check(metrics["throng_pending_cells"] == 0 and metrics["throng_open_pairs"] == 0, "nothing is pending")
    for what in ("throng.counter", "throng.distinct_count"):
        check(house.sql(f"select count(*) from {what}") == [["0"]], what, "is empty")
    say("none of them counted anything")


def counters_start_at_zero(house):
    metrics = house.metrics()
    for name, value in metrics.items():
        # Flushes and what they cost may have begun; nothing else has.
        if "_total" in name and not name.startswith("throng_flush"):
            check(value == 0, name, "starts at", value)
    for name in ("throng_batches_received_total", "throng_events_accepted_total", "throng_journal_bytes",
                 "throng_journal_lag_batches", "throng_flush_seconds_count", "throng_flushed_cells_total",
                 'throng_batches_total{outcome="duplicate"}', 'throng_events_refused_total{reason="unknown_event"}'):
        check(name in metrics, name, "is there from the start")
    check(house.get("/healthz")[::2] == (200, b"alive\n"), "/healthz")
    check(house.get("/readyz")[::2] == (200, b"ready\n"), "/readyz")
    check(house.get("/metrics")[0] == 404, "clients don't see the metrics")
    say("counters start at 0; /healthz and /readyz answer")


def cut_after(house, pieces, before=b""):
    """Sends pieces with pauses; the seconds until the server closes the connection, or Failure after 60.

    `before` is a whole request, which is answered first."""
    with socket.create_connection(("127.0.0.1", house.port), 60) as line:
        # Before the server begins to count, also where the answer comes late.
        started = time.monotonic()
        if before:
            line.sendall(before)
            check(line.recv(4096).startswith(b"HTTP/1.1 200"), "a quick request is answered")
        line.settimeout(0.2)
        for piece in pieces:
            try:
                line.sendall(piece)
                answer = line.recv(4096)
                if answer == b"":
                    return time.monotonic() - started
                check(answer.startswith(b"HTTP/1.1 408"), "half a request was answered:", answer[:100])
            except TimeoutError:
                pass
            except OSError:
                return time.monotonic() - started
            if time.monotonic() - started > 60:
                break
    raise Failure("a slow client still holds its connection after 60 seconds")


def slow_clients(house):
    """A request that takes longer than THRONG_TEST_INTAKE_REQUEST_SECONDS to arrive is cut, however busy it looks."""
    whole = b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n"
    slow_head = [b"POST /v1/batches HTTP/1.1\r\n"] + [b"x-a: b\r\n"] * 200
    slow_body = [b"POST /v1/batches HTTP/1.1\r\nhost: x\r\ncontent-length: 5000\r\n\r\n"] + [b" "] * 200
    ways = {
        "a slow body": (slow_body, b""), "a slow head": (slow_head, b""), "silence": ([b""] * 200, b""),
        "a slow body of a second request": (slow_body, whole), "a slow head of a second request": (slow_head, whole),
    }
    late = []
    for what, (pieces, before) in ways.items():
        try:
            seconds = cut_after(house, pieces, before)
            if not 1.5 <= seconds <= 30:
                late.append(f"{what} is cut after {seconds:.1f} s")
        except Failure as failure:
            late.append(f"{what}: {failure}")
    check(not late, "; ".join(late))
    check(house.get("/healthz")[0] == 200, "others are served")
    say(f"{len(ways)} kinds of slow requests are cut after 2 seconds")


def unread(house):
    """A client that takes no answers is not read from any more, and is answered in full once it takes them."""
    one = b"POST /v1/batches HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n"
    many = one * 1000
    with socket.socket() as line:
        # Little room for answers: so the daemon has to stop soon.
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 14)
        line.connect(("127.0.0.1", house.port))
        line.settimeout(3)
        sent = 0
        with contextlib.suppress(TimeoutError):
            while sent < 64 << 20:
                sent += line.send(many[sent % len(one):])
        check(sent < 64 << 20, "a client that takes no answers could send", sent, "bytes")
        line.shutdown(socket.SHUT_WR)
        line.settimeout(60)
        answers = 0
        rest = b""
        with contextlib.suppress(ConnectionResetError):
            while piece := line.recv(1 << 20):
                rest += piece
                answers += rest.count(b"HTTP/1.1 400 ")
                rest = rest[rest.rfind(b"HTTP/1.1 400 ") + 1:]
    check(answers >= sent // len(one), answers, "answers to", sent // len(one), "requests")
    say(f"a client that takes no answers is stopped after {sent >> 10:,} KiB, and has {answers:,} answers in the end")


def early(house):
    """An answer that comes before its request ends leaves the connection usable; one to a request for an upgrade ends it."""
    with socket.create_connection(("127.0.0.1", house.port), 60) as line:
        line.settimeout(20)
        line.sendall(b"POST /nothing/here HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\n\r\n")
        check(line.recv(4096).startswith(b"HTTP/1.1 404 "), "an unknown path is not found")
        line.sendall(b"body" + b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n")
        check(b"HTTP/1.1 200 " in line.recv(4096), "what follows an early answer is answered")
        line.sendall(b"POST /v1/batches HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: h2c\r\ncontent-length: 0\r\n\r\n")
        answer = b""
        with contextlib.suppress(ConnectionResetError):
            while piece := line.recv(4096):
                answer += piece
        check(answer.startswith(b"HTTP/1.1 400 ") and b"connection: close" in answer, "an upgrade is answered with", answer)
    say("answers that come early, and requests for an upgrade, leave no connection hanging")


def test():
    house = daemon.Daemon(shop.plan(), THRONG_TEST_INTAKE_REQUEST_SECONDS="2").start()
    counters_start_at_zero(house)
    tally = bad_requests(house)
    nothing_counted(house, tally)
    slow_clients(house)
    unread(house)
    early(house)
    check(house.stop() == 0, "serve stops gracefully")
