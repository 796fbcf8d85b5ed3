"""Requests that the daemon must not count, each with the answer that is documented for it."""

import collections
import gzip
import json

import shop
from daemon import check, say


def text(value):
    return json.dumps(value).encode()


def without(member):
    batch = shop.batch()
    del batch[member]
    return text(batch)


def replaced(**members):
    return text(shop.batch(**members))


def raw(old, new, **members):
    """A valid body with one piece of text replaced by bytes that no JSON writer would write."""
    body = replaced(**members)
    check(old in body, "nothing to replace")
    return body.replace(old, new, 1)


def deep(levels):
    return b'{"app":' + b"[" * levels + b"]" * levels + b"}"


def table():
    """What it is, body, headers, then what the answer must be: status, error, pointer. EnvelopeTests, GzipTests and OddEventTests have
    more of each kind."""
    marker = shop.event(fields={"channel": "MARK"})
    json_error = (400, "not_json", None)
    rows = [
        # No JSON at all.
        ("an empty body", b"", {}, *json_error),
        ("single quotes", replaced().replace(b'"', b"'"), {}, *json_error),
        ("XML", b"<?xml version='1.0'?><batch/>", {"content-type": "text/xml"}, 415, "unsupported_media_type", None),
        # Bytes and numbers.
        ("a byte that is no UTF-8", raw(b'"id": "a"', b'"id": "\xff"'), {}, 400, "not_utf8", None),
        ("a number beyond a double", raw(b'"context": {}', b'"context": {"channel": 1e400}'), {}, 400, "number_out_of_range", None),
        ("half a surrogate pair beside what is no JSON", raw(b"MARK", b"\\ud83c", events=[marker])[:-1], {}, *json_error),
        ("NUL in an identifier", raw(b'"id": "a"', b'"id": "a\\u0000"'), {}, 400, "nul", "/id"),
        # Structure.
        ("a member twice", raw(b'"id"', b'"app": "shop", "id"'), {}, 400, "duplicate_key", ""),
        ("a hundred thousand levels", deep(100_000), {}, 400, "too_deep", None),
        ("a number", b"7", {}, 400, "wrong_shape", ""),
        ("events as an object", text({**shop.batch(), "events": {}}), {}, 400, "wrong_shape", "/events"),
        ("an identifier of 65 characters", replaced(id="é" * 65), {}, 400, "wrong_shape", "/id"),
        # Size.
        ("a long identifier", replaced(id="x" * 2049), {}, 400, "string_too_long", "/id"),
        ("1,001 events", replaced(events=[shop.event()] * 1001), {}, 413, "too_many_events", "/events"),
        ("a body over 1 MiB", replaced() + b" " * (1 << 20), {}, 413, "body_too_large", None),
        ("a packed body over 1 MiB", gzip.compress(replaced() + b" " * (1 << 20)), {"content-encoding": "gzip"}, 413,
         "body_too_large", None),
        ("a gzip bomb", gzip.compress(bytes(200 << 20), 9), {"content-encoding": "gzip"}, 413, "body_too_large", None),
        # Who and when.
        ("an unknown app", replaced(app="bazaar"), {}, 404, "unknown_app", "/app"),
        ("an unknown purpose", replaced(purpose="spying"), {}, 422, "unknown_purpose", "/purpose"),
        ("a window too old", replaced(window=shop.window() - 2), {}, 422, "window_out_of_range", "/window"),
        # Packing.
        ("no gzip", replaced(), {"content-encoding": "gzip"}, 400, "not_gzip", None),
        ("gzip with a wrong checksum", gzip.compress(replaced())[:-8] + bytes(8), {"content-encoding": "gzip"}, 400, "not_gzip", None),
        ("another encoding", replaced(), {"content-encoding": "br"}, 415, "unknown_encoding", None),
    ]
    for member, pointer in (("app", "/app"), ("batch", "/batch"), ("purpose", "/purpose"), ("window", "/window"),
                            ("id", "/id"), ("events", "/events")):
        rows.append((f"no {member}", without(member), {}, 400, "wrong_shape", pointer))
    return rows


def bad_requests(house):
    wrong = []
    tally = collections.Counter()
    rows = table()
    for what, body, headers, status, error, pointer in rows:
        tally[error] += 1
        found_status, found_headers, answer = house.post(body, headers)
        try:
            document = json.loads(answer)
        except ValueError:
            wrong.append(f"{what}: {found_status} {answer[:200]}")
            continue
        found = (found_status, document.get("error"), document.get("pointer"))
        if found != (status, error, pointer):
            wrong.append(f"{what}: expected {(status, error, pointer)}, found {found}")
        elif found_headers.get("content-type") != "application/problem+json" or not document.get("detail", "").endswith("."):
            wrong.append(f"{what}: the answer is {found_headers} {answer}")
    check(not wrong, f"{len(wrong)} of {len(rows)} answers differ\n  " + "\n  ".join(wrong))
    say(f"{len(rows)} bad requests were answered as documented")
    return tally
