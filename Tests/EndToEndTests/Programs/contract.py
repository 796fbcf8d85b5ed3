"""What the daemon answers to requests that it must not count, in its own documented words; and that it counts none."""

import contextlib
import gzip
import json
import re
import socket
import threading
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


def opt_outs(house):
    """A signal that the purpose honours: nothing is counted and nothing remembered; one that it does not: it counts."""
    for header in ("sec-gpc", "Sec-GPC", "dnt"):
        batch = shop.batch(purpose="marketing", events=[shop.event("visit"), shop.event("visit")])
        status, _, answer = house.post(text(batch), {header: "1"})
        refused = [{"index": index, "reason": "opted_out"} for index in range(2)]
        check((status, json.loads(answer)) == (202, {"accepted": 0, "refused": refused}), header, status, answer)
        status, _, answer = house.post(text(batch), {header: "0"})
        check((status, json.loads(answer)) == (202, {"accepted": 2, "refused": []}), header, "is off:", status, answer)
    status, _, answer = house.post(text(shop.batch()), {"sec-gpc": "1", "dnt": "1"})
    check((status, json.loads(answer)) == (202, {"accepted": 1, "refused": []}), "a purpose that needs no consent", answer)
    house.drain()
    check((shop.counted(house, "visits"), shop.counted(house, "views")) == (6, 1), "only what was not refused is counted")
    say("opt-out signals are honoured where the plan says so")


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


def other_origins(house):
    """Any page may ask where no origins are listed, without credentials; clients that name no origin see none of it."""
    def ask(method, path, body=None, **headers):
        line = house.connect()
        line.request(method, path, body, headers)
        response = line.getresponse()
        response.read()
        return response.status, {key.lower(): value for key, value in response.getheaders()}

    for path in ("/v1/batches", "/v1/preview", "/v1/plan/shop"):
        status, headers = ask("OPTIONS", path, origin="https://any.example", **{"access-control-request-method": "POST"})
        check(status == 204 and headers["access-control-allow-origin"] == "*", path, status, headers)
        check("POST" in headers["access-control-allow-methods"] and "content-type" in headers["access-control-allow-headers"],
              path, headers)
        check("access-control-allow-credentials" not in headers, path, headers)
    for body, expected in ((text(shop.batch(id="page")), 202), (b"", 400), (b"x" * (2 << 20), 413)):
        status, headers = ask("POST", "/v1/batches", body, origin="https://any.example")
        check(status == expected and headers["access-control-allow-origin"] == "*", status, headers)
        check(headers["access-control-expose-headers"] == "age, date, retry-after", headers)
    status, headers = ask("POST", "/v1/batches", text(shop.batch(id="app")))
    check(status == 202 and not any(name.startswith("access-control") for name in headers), status, headers)
    status, headers = ask("GET", "/v1/plan/shop")
    check(headers["access-control-allow-origin"] == "*", "what caches keep is good for every page:", headers)
    say("pages of other origins may send and read")


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
    """A request that takes longer than THRONG_INTAKE_REQUEST_SECONDS to arrive is cut, however busy it looks."""
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


def pipelined(house):
    """Thousands of requests at once on one connection: each is answered in its turn, and the last ends it."""
    def request(body, *headers):
        lines = ["POST /v1/batches HTTP/1.1", "host: x", f"content-length: {len(body)}", *headers]
        return "\r\n".join([*lines, "", ""]).encode() + body

    before = shop.counted(house)
    # The first one waits for the disk, and what follows it waits for the first.
    many = request(text(shop.batch(id="first in line"))) + request(b"") * 4000
    many += b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n" + request(text(shop.batch(id="last in line")), "connection: close")
    ignored = request(text(shop.batch(id="after the last")))
    answers = b""
    with socket.create_connection(("127.0.0.1", house.port), 60) as line:
        sender = threading.Thread(target=line.sendall, args=(many + ignored,))
        sender.start()
        with contextlib.suppress(ConnectionResetError):
            while piece := line.recv(1 << 16):
                answers += piece
        sender.join()
    statuses = [int(each) for each in re.findall(rb"HTTP/1\.1 (\d+) ", answers)]
    check(statuses == [202] + [400] * 4000 + [200, 202], "answers in their turn:", len(statuses), statuses[:3], statuses[-3:])
    house.drain()
    check(shop.counted(house) - before == 2, "nothing counts after the request that ends the connection")
    say("4,003 requests at once are answered in their turn")


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



def crowded():
    """Bodies that never end take the memory that THRONG_INTAKE_BODIES_BYTES allows, and no more; others are turned away until
    they are gone."""
    house = daemon.Daemon(shop.plan(), THRONG_INTAKE_BODIES_BYTES=str(4 << 20), THRONG_INTAKE_REQUEST_SECONDS="300").start()
    head = f"POST /v1/batches HTTP/1.1\r\nhost: x\r\ncontent-length: {1 << 20}\r\n\r\n".encode()
    lines, turned_away = [], []

    def look(line):
        """Its answer, where it has one."""
        with contextlib.suppress(TimeoutError):
            answer = line.recv(4096)
            check(answer.startswith(b"HTTP/1.1 503 ") and b"retry-after: " in answer and b'"overloaded"' in answer,
                  "a body too many is answered with", answer)
            turned_away.append(line)

    for _ in range(24):
        line = socket.create_connection(("127.0.0.1", house.port), 60)
        # The answer may come before all is sent; the rest is dropped.
        line.sendall(head + b" " * 900_000)
        line.settimeout(0.5)
        look(line)
        lines.append(line)
    # An answer that came late is counted before it is read.
    deadline = time.monotonic() + 60
    while (counted := house.metrics()['throng_batches_total{outcome="overloaded"}']) < 20 or len(turned_away) < counted:
        check(time.monotonic() < deadline, counted, "are counted as overloaded, and", len(turned_away), "are told so")
        for line in lines:
            if line not in turned_away:
                look(line)
    held = house.metrics()["throng_body_bytes"]
    check(20 <= len(turned_away) <= 23, len(turned_away), "of 24 bodies of a mebibyte were turned away")
    check(1 << 19 < held <= 4 << 20, "bodies take", held, "bytes")
    check(counted == len(turned_away), counted, "of", len(turned_away), "are counted as overloaded")
    # Who was turned away ends the request, and the connection is as good as new.
    last = turned_away[-1]
    last.settimeout(60)
    last.sendall(b" " * ((1 << 20) - 900_000) + b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n")
    check(b"HTTP/1.1 200 " in last.recv(4096), "what follows a request that was turned away is answered")
    for line in lines:
        line.close()
    deadline = time.monotonic() + 20
    while house.metrics()["throng_body_bytes"] > 0:
        check(time.monotonic() < deadline, "clients went, and their bodies still take memory")
        time.sleep(0.05)
    check(house.post(text(shop.batch()))[0] == 202, "there is room again")
    check(house.metrics()["throng_body_bytes"] == 0, "a request that was answered takes nothing")
    check(house.stop() == 0, "serve stops gracefully")
    say(f"of 24 bodies that never end {len(turned_away)} are turned away")


def test():
    house = daemon.Daemon(shop.plan(), THRONG_INTAKE_REQUEST_SECONDS="2").start()
    counters_start_at_zero(house)
    tally = bad_requests(house)
    nothing_counted(house, tally)
    public_plan(house)
    previews(house)
    opt_outs(house)
    limits_are_inclusive(house)
    slow_clients(house)
    pipelined(house)
    unread(house)
    early(house)
    other_origins(house)
    refuse_one(house)
    check(house.stop() == 0, "serve stops gracefully")
    crowded()


if __name__ == "__main__":
    daemon.main(test)
