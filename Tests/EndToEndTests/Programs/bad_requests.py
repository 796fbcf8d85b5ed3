"""Requests that the daemon must not count, each with the answer that is documented for it."""

import collections
import gzip
import json

import shop
from daemon import check, say

FULL = object()


def text(value):
    return json.dumps(value).encode()


def with_event(**members):
    """A batch whose second event has these members instead; None takes one out."""
    event = shop.event(fields={"channel": "email"})
    event.update(members)
    return text(shop.batch(events=[shop.event(), {key: value for key, value in event.items() if value is not FULL}]))


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
    """What it is, body, headers, then what the answer must be: status, error, pointer."""
    marker = shop.event(fields={"channel": "MARK"})
    json_error = (400, "not_json", None)
    rows = [
        # No JSON at all.
        ("an empty body", b"", {}, *json_error),
        ("words", b"hello", {}, *json_error),
        ("half a document", replaced()[:-2], {}, *json_error),
        ("two documents", replaced() + replaced(), {}, *json_error),
        ("a trailing comma", raw(b"}]}", b"}],}"), {}, *json_error),
        ("single quotes", replaced().replace(b'"', b"'"), {}, *json_error),
        ("a comment", b"/* */" + replaced(), {}, *json_error),
        ("NaN", raw(b'"context": {}', b'"context": {"channel": NaN}'), {}, *json_error),
        ("Infinity", raw(b'"context": {}', b'"context": {"channel": Infinity}'), {}, *json_error),
        ("a raw line break in a string", raw(b'"view"', b'"vi\new"'), {}, *json_error),
        ("a lone high surrogate", raw(b'"id": "a"', b'"id": "\\ud800"'), {}, *json_error),
        ("a lone low surrogate", raw(b'"id": "a"', b'"id": "x\\udc00y"'), {}, *json_error),
        ("an unknown escape", raw(b'"id": "a"', b'"id": "\\x41"'), {}, *json_error),
        ("a form with files", b"--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--x--\r\n",
         {"content-type": "multipart/form-data; boundary=x"}, 415, "unsupported_media_type", None),
        ("a form", b"app=shop&purpose=product", {"content-type": "application/x-www-form-urlencoded"}, 415,
         "unsupported_media_type", None),
        ("XML", b"<?xml version='1.0'?><batch/>", {"content-type": "text/xml"}, 415, "unsupported_media_type", None),
        ("gzip that does not say so", gzip.compress(replaced()), {}, *json_error),
        # Bytes and numbers.
        ("a byte that is no UTF-8", raw(b'"id": "a"', b'"id": "\xff"'), {}, 400, "not_utf8", None),
        ("an overlong form", raw(b'"id": "a"', b'"id": "\xc0\xaf"'), {}, 400, "not_utf8", None),
        ("a surrogate in UTF-8", raw(b'"id": "a"', b'"id": "\xed\xa0\x80"'), {}, 400, "not_utf8", None),
        ("UTF-16", json.dumps(shop.batch()).encode("utf-16"), {}, *json_error),
        ("a number beyond a double", raw(b'"context": {}', b'"context": {"channel": 1e400}'), {}, 400,
         "number_out_of_range", None),
        ("a whole number beyond 64 bits", raw(b'"context": {}', b'"context": {"channel": 123456789012345678901}'), {},
         400, "number_out_of_range", None),
        ("minus infinity", raw(b'"context": {}', b'"context": {"channel": -Infinity}'), {}, 400,
         "number_out_of_range", None),
        ("NUL in an identifier", raw(b'"id": "a"', b'"id": "a\\u0000"'), {}, 400, "nul", "/id"),
        ("NUL in a value", raw(b"MARK", b"\\u0000", events=[shop.event(), marker]), {}, 400, "nul", "/events/1/fields"),
        ("NUL in a key", raw(b'"channel"', b'"ch\\u0000"', events=[marker]), {}, 400, "nul", "/events/0/fields"),
        # Structure.
        ("a member twice", raw(b'"id"', b'"app": "shop", "id"'), {}, 400, "duplicate_key", ""),
        ("a member twice by an escape", raw(b'"id"', b'"\\u0061pp": "shop", "id"'), {}, 400, "duplicate_key", ""),
        ("a field twice", raw(b'"channel"', b'"channel": 1, "channel"', events=[marker]), {}, 400, "duplicate_key",
         "/events/0/fields"),
        ("a context field twice", raw(b'"context": {}', b'"context": {"os": 1, "os": 1}'), {}, 400, "duplicate_key",
         "/context"),
        ("nine levels", raw(b'"context": {}', b'"context": {"channel": [[[[[[[1]]]]]]]}'), {}, 400, "too_deep", None),
        ("a hundred thousand levels", deep(100_000), {}, 400, "too_deep", None),
        ("a list", b"[]", {}, 400, "wrong_shape", ""),
        ("a number", b"7", {}, 400, "wrong_shape", ""),
        ("an unknown member", replaced(device="x"), {}, 400, "wrong_shape", ""),
        ("an event that is no object", replaced(events=["view"]), {}, 400, "wrong_shape", "/events/0"),
        ("an unknown member of an event", with_event(user="x"), {}, 400, "wrong_shape", "/events/1"),
        ("an event without a name", with_event(event=FULL), {}, 400, "wrong_shape", "/events/1/event"),
        ("an event whose name is a number", with_event(event=7), {}, 400, "wrong_shape", "/events/1/event"),
        ("an event without a time", with_event(at=FULL), {}, 400, "wrong_shape", "/events/1/at"),
        ("a time as a number", with_event(at=1795257600), {}, 400, "wrong_shape", "/events/1/at"),
        ("a time without a zone", with_event(at="2026-11-21T10:02:11"), {}, 400, "wrong_shape", "/events/1/at"),
        ("a day that does not exist", with_event(at="2026-02-30T10:02:11Z"), {}, 400, "wrong_shape", "/events/1/at"),
        ("fields as a list", with_event(fields=[]), {}, 400, "wrong_shape", "/events/1/fields"),
        ("firsts as a list", with_event(firsts=[]), {}, 400, "wrong_shape", "/events/1/firsts"),
        ("a count of 0", with_event(count=0), {}, 400, "wrong_shape", "/events/1/count"),
        ("a negative count", with_event(count=-1), {}, 400, "wrong_shape", "/events/1/count"),
        ("a broken count", with_event(count=1.5), {}, 400, "wrong_shape", "/events/1/count"),
        ("a count as text", with_event(count="1"), {}, 400, "wrong_shape", "/events/1/count"),
        ("a count of a million and one", with_event(count=1_000_001), {}, 400, "wrong_shape", "/events/1/count"),
        ("no events", text({**shop.batch(), "events": []}), {}, 400, "wrong_shape", "/events"),
        ("events as an object", text({**shop.batch(), "events": {}}), {}, 400, "wrong_shape", "/events"),
        ("a context as a list", replaced(context=[]), {}, 400, "wrong_shape", "/context"),
        ("a context of null", replaced(context=None), {}, 400, "wrong_shape", "/context"),
        ("an empty identifier", replaced(id=""), {}, 400, "wrong_shape", "/id"),
        ("an identifier of 65 characters", replaced(id="é" * 65), {}, 400, "wrong_shape", "/id"),
        ("a numeric identifier", replaced(id=7), {}, 400, "wrong_shape", "/id"),
        ("a batch id of 31 digits", replaced(batch="a" * 31), {}, 400, "wrong_shape", "/batch"),
        ("a batch id that is no hexadecimal", replaced(batch="g" * 32), {}, 400, "wrong_shape", "/batch"),
        ("a window as text", replaced(window="7"), {}, 400, "wrong_shape", "/window"),
        ("a broken window", replaced(window=1.5), {}, 400, "wrong_shape", "/window"),
        ("an app as a number", replaced(app=7), {}, 400, "wrong_shape", "/app"),
        ("a purpose of null", replaced(purpose=None), {}, 400, "wrong_shape", "/purpose"),
        # Size.
        ("a long identifier", replaced(id="x" * 2049), {}, 400, "string_too_long", "/id"),
        ("a long value", with_event(fields={"channel": "x" * 2049}), {}, 400, "string_too_long", "/events/1/fields"),
        ("a long field name", with_event(fields={"x" * 2049: 1}), {}, 400, "string_too_long", "/events/1/fields"),
        ("1,001 events", replaced(events=[shop.event()] * 1001), {}, 413, "too_many_events", "/events"),
        ("a body over 1 MiB", replaced() + b" " * (1 << 20), {}, 413, "body_too_large", None),
        ("a packed body over 1 MiB", gzip.compress(replaced() + b" " * (1 << 20)), {"content-encoding": "gzip"}, 413,
         "body_too_large", None),
        ("a gzip bomb", gzip.compress(bytes(200 << 20), 9), {"content-encoding": "gzip"}, 413, "body_too_large", None),
        # Who and when.
        ("an unknown app", replaced(app="bazaar"), {}, 404, "unknown_app", "/app"),
        ("an app in other letters", replaced(app="Shop"), {}, 404, "unknown_app", "/app"),
        ("an unknown purpose", replaced(purpose="spying"), {}, 422, "unknown_purpose", "/purpose"),
        ("a window too old", replaced(window=shop.window() - 2), {}, 422, "window_out_of_range", "/window"),
        ("a window too new", replaced(window=shop.window() + 2), {}, 422, "window_out_of_range", "/window"),
        ("the smallest window", replaced(window=-(1 << 63)), {}, 422, "window_out_of_range", "/window"),
        ("the largest window", replaced(window=(1 << 63) - 1), {}, 422, "window_out_of_range", "/window"),
        # Packing.
        ("no gzip", replaced(), {"content-encoding": "gzip"}, 400, "not_gzip", None),
        ("half a gzip", gzip.compress(replaced())[:-9], {"content-encoding": "gzip"}, 400, "not_gzip", None),
        ("gzip with a tail", gzip.compress(replaced()) + b"x", {"content-encoding": "gzip"}, 400, "not_gzip", None),
        ("gzip with a wrong checksum", gzip.compress(replaced())[:-8] + bytes(8), {"content-encoding": "gzip"}, 400,
         "not_gzip", None),
        ("an empty gzip", b"", {"content-encoding": "gzip"}, 400, "not_gzip", None),
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
