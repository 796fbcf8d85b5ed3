"""What the daemon answers to requests that it must not count, in its own documented words; and that it counts none."""

import contextlib
import gzip
import json
import socket
import time

import daemon
import shop
from bad_requests import bad_requests, refuse_one, text
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


def limits_are_inclusive(house):
    """What is just allowed."""
    before = shop.counted(house)

    def replaced(**members):
        return text(shop.batch(**{"id": f"limit {time.monotonic_ns()}", **members}))

    gzipped = {"content-encoding": "gzip"}

    def padded():
        return replaced().ljust(1 << 20)

    allowed = [
        (replaced(events=[shop.event()] * 1000), {}, 1000), (replaced(id="\U0001f600" * 64), {}, 1), (padded(), {}, 1),
        (gzip.compress(padded()), gzipped, 1), (replaced(window=shop.window() - 1), {}, 1),
        (replaced(window=shop.window() + 1), {}, 1), (replaced(context={"channel": "x" * 2048}), {}, 1),
        (replaced(batch="ABCDEF" + "0" * 26), {}, 1), (replaced(), {"content-encoding": "GZIP"}, None),
        (b"\n " + replaced() + b"\r\n", {}, 1), (replaced(), {"content-encoding": "identity"}, 1),
        (replaced(events=[shop.event(), shop.event(count=1_000_000)]), {}, 2)]
    total = 0
    for place, (body, headers, events) in enumerate(allowed):
        status, _, answer = house.post(body, headers)
        if events is None:
            check(status == 400, "an announced packing in other letters is taken at its word:", status, answer)
            continue
        check((status, json.loads(answer)) == (202, {"accepted": events, "refused": []}),
              "allowed body", place, status, answer[:300])
        total += events
    house.drain()
    # The million is cut to the contribution bound of 1,000, of which one was used.
    check(shop.counted(house) - before == total - 2 + 1000, "what was allowed is counted:", shop.counted(house) - before)
    say("limits are inclusive")


def public_plan(house):
    status, headers, body = house.get("/v1/plan/shop")
    headers = {key.lower(): value for key, value in headers.items()}
    check(status == 200 and headers["content-type"] == "application/json", status, headers)
    check(json.loads(body)["purposes"], "the plan names its purposes")
    tag = headers["etag"]
    status, headers, body = house.get("/v1/plan/shop", {"if-none-match": tag})
    check((status, body) == (304, b""), "the same plan again:", status, body[:80])
    check({key.lower(): value for key, value in headers.items()}.get("etag") == tag, "304 repeats the tag")
    check(house.get("/v1/plan/shop", {"if-none-match": '"other"'})[0] == 200, "another tag")
    status, _, body = house.get("/v1/plan/nowhere")
    check((status, json.loads(body)["error"]) == (404, "unknown_app"), "an unknown app's plan:", status, body)
    say("the public plan has a tag")


def previews(house):
    """What would be counted, in the words of the plan; nothing is."""
    before = house.metrics()["throng_events_accepted_total"]

    def ask(body, **headers):
        line = house.connect()
        line.request("POST", "/v1/preview", body, headers)
        response = line.getresponse()
        return response.status, response.headers, json.loads(response.read())

    purchase = shop.event("purchase", fields={"amount": 250.5, "channel": "email"}, count=2)
    events = [purchase, shop.event("teleport"), shop.event("purchase"), shop.event(fields={"channel": "pigeon"})]
    body = {"app": "shop", "purpose": "product", "context": {"user_agent": "curl/8"}, "events": events}
    today = time.strftime("%Y-%m-%d", time.gmtime())
    expected = [
        {"index": 0, "counted": [
            {"metric": "purchases", "buckets": {"channel": "email"}, "period": today, "count": 2, "sums": {"paid": 200}}]},
        {"index": 1, "counted": [], "refused": "unknown_event", "detail": {"pointer": "/events/1/event"}},
        {"index": 2, "counted": [], "refused": "invalid_value", "detail": {"pointer": "/events/2/fields", "field": "amount"}},
        {"index": 3, "counted": [
            {"metric": "views", "buckets": {"channel": "other", "os": "other"}, "period": today, "count": 1, "sums": {}}]}]
    for packed, headers in ((text(body), {}), (gzip.compress(text(body)), {"content-encoding": "gzip"})):
        status, _, answer = ask(packed, **headers)
        check((status, answer) == (200, {"events": expected}), "a preview:", status, answer)
    visits = {**body, "purpose": "marketing", "context": {}, "events": [shop.event("visit")]}
    check(ask(text(visits), **{"sec-gpc": "1"})[2] == {"events": [{"index": 0, "counted": [], "refused": "opted_out"}]},
          "an opt-out")
    for what, packed, headers, status, error in (
            ("no JSON", b"x", {}, 400, "not_json"), ("too large", b" " * (1 << 20 | 1), {}, 413, "body_too_large"),
            ("a bomb", gzip.compress(bytes(64 << 20)), {"content-encoding": "gzip"}, 413, "body_too_large"),
            ("another packing", b"x", {"content-encoding": "br"}, 415, "unknown_encoding"),
            ("a wrong window", text({**body, "window": 7}), {}, 422, "window_out_of_range"),
            ("an unknown app", text({**body, "app": "bazaar"}), {}, 404, "unknown_app"),
            ("too many events", text({**body, "events": [shop.event()] * 1001}), {}, 413, "too_many_events")):
        found, _, answer = ask(packed, **headers)
        check((found, answer["error"]) == (status, error), what, found, answer)
    check(house.metrics()["throng_events_accepted_total"] == before, "previews count nothing")
    check(house.metrics()["throng_pending_cells"] == 0, "and nothing is pending")
    say("previews say what would be counted, and count nothing")


def cut_after(house, pieces, before=b""):
    """Sends pieces with pauses; the seconds until the server closes the connection, or Failure after 60.

    `before` is a whole request, which is answered first.
    """
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
    with socket.create_connection(("127.0.0.1", house.port), 60) as line:
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
    public_plan(house)
    previews(house)
    limits_are_inclusive(house)
    slow_clients(house)
    unread(house)
    early(house)
    refuse_one(house)
    check(house.stop() == 0, "serve stops gracefully")


if __name__ == "__main__":
    daemon.main(test)
