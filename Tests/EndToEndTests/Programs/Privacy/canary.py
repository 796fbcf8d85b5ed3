"""Promise 1, no person at rest: what identifies a person is found nowhere, neither while its window is open nor after.

Canaries travel in every place that a client can fill, at trace log level; then every file under the data directory (with PostgreSQL's), the
daemon's log, its metrics and its answers to others are searched for them in many spellings."""

import base64
import gzip
import json
import os
import resource
import socket
import struct
import time

import daemon
import traced
from daemon import Failure, check, say, until
from moving_clock import MovingClock
from windows_on_disk import checkpoint_keys, journal_keys, window_keys

ROTATION = 86400
SOURCE = "127.0.0.77"

PLAN = """
app: {name: shop, title: Shop, owner: Tests, contact: tests@example.com, audience: 100, threshold: 5}
purposes:
  product: {explanation: To see what is used., consent: not_required, rotation: 1 day, retention: 30 days}
  marketing: {explanation: To see who comes., consent: required, refused_by: [global_privacy_control, do_not_track],
    rotation: 1 day, retention: 30 days}
dimensions:
  os: {title: System, field: user_agent, operating_system: standard, partitions: devices}
  channel: {title: Channel, field: channel, list: [email, direct]}
  site: {title: Site, field: url, host: [example.com]}
metrics:
  views: {title: Views, events: [view], question: What is seen?, decision: None., owner: Tests, expires: EXPIRES,
    purpose: product, dimensions: [os, channel, site], period: day,
    measures: {sums: {paid: {field: amount, from: 0, to: 100, decimals: 2, unit: EUR}}, reach: true},
    contribution_bound: 1000}
  visits: {title: Visits, events: [visit], question: Who comes?, decision: None., owner: Tests, expires: EXPIRES,
    purpose: marketing, dimensions: [channel], period: day, measures: {reach: true}}
"""


# Every canary begins with this word of the run, so that one look for its spellings finds them all.
MARK = f"Zq{os.urandom(5).hex()}K"
# A daemon's time: noon, so that no window ends by itself.
CLOCK = time.time
# A trace's identifier, as a client may send one.
CHOSEN = os.urandom(16).hex()


def spellings(text):
    raw = text.encode()
    ways = {
        "raw": raw, "swapped case": text.swapcase().encode(), "lower case": text.lower().encode(),
        "upper case": text.upper().encode(), "backwards": raw[::-1], "hex": raw.hex().encode(),
        "upper hex": raw.hex().upper().encode(), "UTF-16LE": text.encode("utf-16-le"),
        "UTF-16BE": text.encode("utf-16-be"), "percent": "".join(f"%{byte:02x}" for byte in raw).encode(),
        "upper percent": "".join(f"%{byte:02X}" for byte in raw).encode(),
        "JSON escapes": "".join(f"\\u{byte:04x}" for byte in raw).encode(),
        "list of numbers": ", ".join(str(byte) for byte in raw).encode(),
        "list of hex numbers": " ".join(f"{byte:02x}" for byte in raw).encode()}
    for shift in range(3):
        # Base64 of the word at any place of a longer text, without the digits that its neighbours share.
        packed = base64.b64encode(b"\0" * shift + raw)[(0, 2, 3)[shift]:].rstrip(b"=")[:-1]
        ways[f"base64 {shift}"] = packed
        ways[f"base64url {shift}"] = packed.translate(bytes.maketrans(b"+/", b"-_"))
    return ways


class Cage:
    """Canaries by the place where they travelled, and the spellings in which they are looked for."""

    def __init__(self):
        self.words = {}
        self.secrets = []
        self.needles = {needle: how for how, needle in spellings(MARK).items()}
        for how, needle in {
                "text": SOURCE, "dashes": SOURCE.replace(".", "-"), "hex": "7f00004d", "upper hex": "7F00004D",
                "number": str(0x7F00004D)}.items():
            self.needles[needle.encode()] = f"IP address, {how}"
        self.needles[SOURCE.encode("utf-16-le")] = "IP address, UTF-16LE"

    def new(self, place):
        check(place not in self.words, "two canaries travel as", place)
        self.words[place] = f"{MARK}{len(self.words):03d}{os.urandom(4).hex()}Kw"
        return self.words[place]

    def found_in(self, content, where):
        found = []
        for needle, how in self.needles.items():
            place = content.find(needle)
            if place >= 0:
                around = content[place:place + 40]
                known = [name for name, word in self.words.items()
                         if any(each[:len(around)] == around[:len(each)] for each in spellings(word).values())]
                found.append(f"{how} in {where}: {known or around}")
        return found


def search(cage, house):
    """Every place where a canary was found: files, with the log, and what the daemon says over HTTP."""
    found, searched, size = [], 0, 0
    for path, content in daemon.files(house.folder):
        searched += 1
        size += len(content)
        found += cage.found_in(content, os.path.relpath(path, house.folder))
        found += cage.found_in(os.fsencode(path), "a file's name")
    found += cage.found_in(house.get("/metrics", port=house.metrics_port)[2], "/metrics")
    for path in ("/v1/plan/shop", "/healthz", "/readyz", "/v1/plan/no-such-app"):
        status, headers, body = house.get(path)
        found += cage.found_in(repr(headers).encode() + body, path)
    for body in (b"{", b"\xff", b"[]", json.dumps(batch(purpose="none", identifier="someone else")).encode()):
        status, headers, answer = house.post(body)
        check(status >= 400, "a bad body is refused")
        found += cage.found_in(repr(headers).encode() + answer, "an answer to someone else")
    # A table row may be stored in a compressed form that a search of files can't read: ask PostgreSQL too.
    def contents():
        tables = house.sql("select quote_ident(schemaname) || '.' || quote_ident(tablename) from pg_tables"
                           " where schemaname in ('throng', 'analyst', 'public', 'pg_catalog') and tablename not like 'pg_authid'")
        try:
            return tables, house.sql("; ".join(f"select 'in {table}', t::text from {table} as t" for (table,) in tables))
        except Failure as failure:
            # Age takes a table meanwhile.
            check("does not exist" in str(failure), failure)
            return None

    tables, all_rows = until(contents, "tables come and go")
    rows, table = {}, None
    # A value of several lines comes as several rows.
    for row in all_rows:
        table = row[0] if [row[0].removeprefix("in ")] in tables else table
        rows.setdefault(table, []).append(str(row))
    check(len(rows) > 30, "PostgreSQL shows only", list(rows))
    for table, texts in rows.items():
        found += cage.found_in("\n".join(texts).encode(), table)
    return found, searched, size


def batch(identifier, purpose="product", window=None, events=None, context=None, id=None):
    return {
        "app": "shop", "batch": id or os.urandom(16).hex(), "purpose": purpose,
        "window": int(CLOCK()) // ROTATION if window is None else window, "id": identifier,
        "context": context or {},
        "events": events or [{"event": "view", "at": stamp(), "fields": {"amount": 1}}]}


def stamp():
    return daemon.instant(CLOCK())


def release_canaries(cage, house):
    """Posts them from an address of their own, in every place; what each request was answered with."""
    statuses = {}

    def post(what, body, headers={}, path="/v1/batches", method="POST", status=202):
        found, _, answer = house.exchange(method, path, body, {
            "content-type": "application/json", "user-agent": cage.new(what + ": User-Agent header"),
            "x-forwarded-for": SOURCE, "forwarded": "for=" + SOURCE, "x-real-ip": SOURCE,
            "cookie": "session=" + cage.new(what + ": cookie"), "referer": "http://x/" + cage.new(what + ": referer"),
            "authorization": "Bearer " + cage.new(what + ": token"), "x-request-id": cage.new(what + ": request id"),
            # What is chosen by a client is no trace of ours.
            "traceparent": f"00-{CHOSEN}-{CHOSEN[:16]}-01", "tracestate": "v=" + cage.new(what + ": tracestate"),
            **headers}, SOURCE)
        check(found == status, what, "was answered with", found, answer)
        statuses[what] = answer

    def text(batch):
        return json.dumps(batch).encode()

    view = {"event": "view", "at": stamp(), "fields": {"amount": 1}}
    # An identifier and planned fields, counted.
    counted = batch(cage.new("identifier"), context={
        "user_agent": "Mozilla/5.0 (iPhone) " + cage.new("planned user agent"),
        "channel": cage.new("planned field"),
        "url": "https://" + cage.new("host") + ".example.org/" + cage.new("path") + "?q=" + cage.new("query")},
        events=[{**view, "fields": {"amount": 17.5}}] * 3)
    post("counted", text(counted))
    post("repeated", text(counted))
    post("gzip", gzip.compress(text(batch(cage.new("identifier in gzip"), events=[view]))), {"content-encoding": "gzip"})
    post("opted out", text(batch(cage.new("opted-out identifier"), purpose="marketing", events=[
        {"event": "visit", "at": stamp()}])), {"sec-gpc": "1"})
    # Refused event by event.
    post("unplanned", text(batch(cage.new("identifier of refused events"), events=[
        {"event": cage.new("unknown event"), "at": stamp()},
        {**view, "fields": {"amount": 1, cage.new("unplanned field"): cage.new("unplanned value")}},
        {**view, "fields": {"amount": cage.new("text for a sum")}},
        {**view, "fields": {"channel": {cage.new("nested key"): [cage.new("nested value")]}}}])))
    post("context", text(batch(cage.new("identifier of a refused context"), context={
        cage.new("unplanned context"): cage.new("unplanned context value")})))
    # Refused as a whole.
    post("malformed", text(batch(cage.new("malformed body")))[:-3], status=400)
    post("no JSON", b"x" + cage.new("no JSON at all").encode(), status=400)
    post("no JSON but XML", b"<" + cage.new("an element").encode(), status=415)
    post("duplicate", b'{"%s":1,"%s":2}' % ((cage.new("duplicate key").encode(),) * 2), status=400)
    post("unknown member", text({**batch("x"), cage.new("unknown member"): cage.new("its value")}), status=400)
    post("unknown member of an event", text(batch(cage.new("x1"), events=[{**view, cage.new("event's member"): 1}])))
    post("no batch id", text(batch("x", id=cage.new("batch id"))), status=400)
    post("no time", text(batch("x", events=[{"event": "view", "at": cage.new("time")}])))
    post("long", text(batch(cage.new("long") * 300)), status=400)
    post("long value", text(batch("x", context={"channel": cage.new("long value") * 200})), status=400)
    post("NUL", text(batch(cage.new("identifier with NUL") + "\0")), status=400)
    post("UTF-8", cage.new("no UTF-8").encode() + b"\xff", status=400)
    post("app", text({**batch("x"), "app": cage.new("unknown app")}), status=404)
    post("purpose", text(batch(cage.new("x2"), purpose=cage.new("unknown purpose"))), status=422)
    post("window", text(batch(cage.new("x3"), window=7)), status=422)
    post("bad gzip", b"\x1f\x8b" + cage.new("bad gzip").encode(), {"content-encoding": "gzip"}, status=400)
    post("encoding", b"{}", {"content-encoding": cage.new("encoding")}, status=415)
    post("path", None, path="/v1/" + cage.new("path of no route"), method="GET", status=404)
    post("plan", None, path="/v1/plan/" + cage.new("plan of no app"), method="GET", status=404)
    post("query", text(batch(cage.new("x4"))), path="/v1/batches?" + cage.new("query of a route"))
    post("method", text(batch(cage.new("x5"))), path="/v1/batches", method="DELETE", status=405)
    post("large", cage.new("large body").encode() * 60_000, status=413)
    # Cut short: a request that never ends, and one that is no HTTP.
    for rest in (f"POST /v1/batches HTTP/1.1\r\nhost: x\r\ncontent-length: 900\r\n\r\n{cage.new('cut body')}",
                 f"{cage.new('no HTTP')} {cage.new('no path')}\r\n\r\n",
                 f"GET / HTTP/1.1\r\n{cage.new('bad header')} : x\r\n\r\n"):
        with socket.create_connection(("127.0.0.1", house.port), 20, (SOURCE, 0)) as line:
            line.sendall(rest.encode())
            time.sleep(0.1)
    return statuses


def check_process(house):
    """No core file, no memory for other processes of the user."""
    pid = house.process.pid
    limit = next(line for line in daemon.read(f"/proc/{pid}/limits").splitlines() if line.startswith("Max core file size")).split()[4:6]
    check(limit == ["0", "0"], "the limit of core files is", limit)
    check(daemon.read(f"/proc/{pid}/coredump_filter"), "the process is there")
    # Files of a process that can't be dumped belong to root; started by root they do in any case, so ask it directly.
    check(os.stat(f"/proc/{pid}/environ").st_uid == 0, "/proc/PID/environ belongs to root")
    if os.getuid() == 0:
        # A reader with root's id but without its capabilities may look into a process only if that can be dumped.
        reader = os.fork()
        if reader == 0:
            try:
                drop_capabilities()
                open(f"/proc/{pid}/environ", "rb").read()
                os._exit(0)
            except PermissionError:
                os._exit(13)
            except BaseException:
                os._exit(1)
        status = os.waitstatus_to_exitcode(os.waitpid(reader, 0)[1])
        check(status == 13, "the process can't be dumped, so its memory stays its own; the reader ended with", status)


def drop_capabilities():
    """capset(2) with nothing left: the third version of the header, this thread, two empty words of data."""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    header = ctypes.create_string_buffer(struct.pack("II", 0x20080522, 0))
    data = ctypes.create_string_buffer(struct.pack("IIIIII", 0, 0, 0, 0, 0, 0))
    if libc.capset(header, data) != 0:
        raise OSError(ctypes.get_errno(), "capset")


def count_canaries(house):
    """The canaries, and the keys that they used, all of which a checkpoint has."""
    cage = Cage()
    statuses = release_canaries(cage, house)
    check(json.loads(statuses["counted"]) == {"accepted": 3, "refused": []}, "the canaries were counted")
    check(statuses["repeated"] == statuses["counted"], "the repeat has the same answer")
    house.drain()
    check(int(house.sql("select sum(value) from throng.counter where measure = 0")[0][0]) > 0, "PostgreSQL has counters")
    used, keys = journal_keys(house), window_keys(house)
    for path in keys.values():
        # Bytes 16 to 48 of the file, as KeyRing.swift states.
        cage.secrets.append(daemon.read_bytes(path)[16:48])
    check(used and used <= set(keys), "while the window is open its key is there")
    until(lambda: used <= checkpoint_keys(os.path.join(house.data, "checkpoint")), "what is known of the window is in no checkpoint")
    return cage, used


def expect_nothing(cage, house, when):
    house.sql("checkpoint")
    found, searched, size = search(cage, house)
    check(not found, f"{when}: {len(found)} finds\n" + "\n".join(found[:20]))
    check(searched > 100 and size > 1 << 20, "the search saw too little:", searched, "files")
    say(f"{when}: {len(cage.words)} canaries in {len(cage.needles)} spellings are in none of {searched:,} files"
        f" ({size >> 20} MiB), nor in any table, answer or metric")


def expect_finds(cage, house):
    """The search finds what is there: canaries in files, one in a table, one in PostgreSQL's log of writes."""
    planted = cage.words["identifier"]
    paths = {}
    for name, content in {"raw": planted, "base64": base64.b64encode(b"x" + planted.encode()).decode(),
                          "address": f"from {SOURCE} port 1", "trace": json.dumps({"attributes": [planted]})}.items():
        paths[name] = os.path.join(house.folder if name == "trace" else os.path.join(house.data, "windows"), f"planted.{name}")
        daemon.write(paths[name], content)
    house.sql(f"create table public.planted as select '{planted}' as word")
    house.sql("checkpoint")
    found = search(cage, house)[0]
    house.sql("drop table public.planted")
    for name, path in paths.items():
        os.unlink(path)
        check(any(f"planted.{name}" in each for each in found), "the search missed a planted canary:", name)
    check(any("public.planted" in each for each in found), "the search missed a canary in a table")
    check(any("postgres/data/base" in each for each in found), "the search missed a canary in PostgreSQL's files")
    check(any("pg_wal" in each for each in found), "the search missed a canary in PostgreSQL's log of writes")
    say("the search finds what is planted, in files and in PostgreSQL")


def test():
    global CLOCK
    resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    plan = PLAN.replace("EXPIRES", daemon.expiry())
    house = daemon.Daemon(plan, log="trace")
    clock = MovingClock(house.folder, int(time.time()) // 86400 * 86400 + 43200)
    CLOCK = clock.now
    # A checkpoint after every batch; traces in its folder, where all that is written is looked for.
    house.settings.update(
        clock.variables, THRONG_TEST_JOURNAL_CHECKPOINT_BYTES="1", THRONG_TRACES=os.path.join(house.folder, "traces.jsonl"),
        THRONG_TEST_TRACES_PERCENT="100")
    house.start()
    check_process(house)
    check(" trace throng" in house.log_text() or " debug throng" in house.log_text(), "the log is at trace level")
    say("serve is ready; no core files, no memory for others")
    cage, used = count_canaries(house)
    traced.expect_traces(house, CHOSEN)
    expect_nothing(cage, house, "the window is open")

    clock.move((clock.now() // ROTATION + 2) * ROTATION + 60)
    until(lambda: not window_keys(house), "a key is there without a window", seconds=300)
    until(lambda: not os.path.exists(os.path.join(house.data, "checkpoint")), "a checkpoint goes with its last window")
    check(cage.secrets and all(len(secret) == 32 for secret in cage.secrets), "the keys were read while they were there")
    cage.needles.update((secret, "a destroyed key") for secret in cage.secrets)
    expect_nothing(cage, house, "the window is over")
    # The segment may still be there: it is read no more, for no key is left that fits.
    say(f"of {len(used)} keys that were used none exists")

    # A stop and a start later too.
    check(house.stop() == 0, "serve stops gracefully")
    house.start()
    expect_nothing(cage, house, "after another start")
    expect_finds(cage, house)
    check(house.stop() == 0, "serve stops gracefully")
