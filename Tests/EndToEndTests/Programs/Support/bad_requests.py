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
        ("minus infinity", raw(b'"context": {}', b'"context": {"channel": -Infinity}'), {}, *json_error),
        ("half a surrogate pair beside what is no JSON", raw(b"MARK", b"\\ud83c", events=[marker])[:-1], {}, *json_error),
        ("NUL in an identifier", raw(b'"id": "a"', b'"id": "a\\u0000"'), {}, 400, "nul", "/id"),
        # Structure.
        ("a member twice", raw(b'"id"', b'"app": "shop", "id"'), {}, 400, "duplicate_key", ""),
        ("a member twice by an escape", raw(b'"id"', b'"\\u0061pp": "shop", "id"'), {}, 400, "duplicate_key", ""),
        ("a context field twice", raw(b'"context": {}', b'"context": {"os": 1, "os": 1}'), {}, 400, "duplicate_key",
         "/context"),
        ("nine levels", raw(b'"context": {}', b'"context": {"channel": [[[[[[[1]]]]]]]}'), {}, 400, "too_deep", None),
        ("a hundred thousand levels", deep(100_000), {}, 400, "too_deep", None),
        ("a list", b"[]", {}, 400, "wrong_shape", ""),
        ("a number", b"7", {}, 400, "wrong_shape", ""),
        ("an unknown member", replaced(device="x"), {}, 400, "wrong_shape", ""),
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


def odd_events():
    """What is wrong with one element of `events`, the element's text, and where its refusal points: pointer, member."""
    good = shop.event(fields={"channel": "email"})

    def other(**members):
        return json.dumps({**good, **members})

    def lacking(member):
        return json.dumps({key: value for key, value in good.items() if key != member})

    def odd(old, new):
        check(old in other(), "nothing to replace")
        return other().replace(old, new, 1)

    rows = [(f"an event that is {text}", text, "", None) for text in ("null", "7", '"view"', "[]", "1e400", '"\\udfff"')]
    rows += [
        ("half of a surrogate pair", odd("email", "sale \\ud83c"), "/fields", 0),
        ("the other half", odd("email", "\\udf55\\ud83c"), "/fields", 0),
        ("NUL in a value", odd("email", "\\u0000"), "/fields", 0),
        ("NUL in a key", odd("channel", "ch\\u0000"), "/fields", 0),
        ("a number beyond 64 bits", odd('"email"', "18446744073709551616"), "/fields", 0),
        ("a number beyond a double", odd('"email"', "-1e400"), "/fields", 0),
        ("a field twice", odd('"channel"', '"channel": 1, "channel"'), "/fields", 1),
        ("a member twice", odd('"event"', '"event": "view", "\\u0065vent"'), "", 1),
        ("a list in lists", odd('"email"', "[" * 9 + "]" * 9), "/fields", 0),
        ("a hundred thousand levels", odd('"email"', "[" * 100_000 + "]" * 100_000), "/fields", 0),
        ("a long value", odd("email", "x" * 2049), "/fields", 0),
        ("a long field name", odd("channel", "x" * 2049), "/fields", 0),
        ("a long name", other(event="x" * 2500), "/event", None),
        ("an unknown member", other(user="x"), "", 3),
        ("no name", lacking("event"), "/event", None),
        ("a name that is a number", other(event=7), "/event", None),
        ("no time", lacking("at"), "/at", None),
        ("fields as a list", other(fields=[]), "/fields", None),
        ("fields of null", other(fields=None), "/fields", None),
        ("firsts as a list", other(firsts=[]), "/firsts", None),
    ]
    rows += [(f"the time {at!r}", other(at=at), "/at", None) for at in (
        1795257600, None, "", "2026-11-21T10:02:11", "2026-02-30T10:02:11Z", "2026-11-21T10:02:11+0100",
        "2026-11-21T10:02:11+01", "2026-11-21T10:02Z", "2026-11-21", "20261121T100211Z", "now", "2026-11-21T24:00:00Z")]
    rows += [(f"a count of {count!r}", other(count=count), "/count", None) for count in (
        0, -1, 1.5, "1", None, True, [], 1_000_001, 1 << 64, 1 << 63)]
    return rows


def refuse_one(house):
    """Of many events each odd one is refused by itself, and the others are counted, wherever it is."""
    rows = odd_events()
    for count, (what, element, pointer, member) in enumerate(rows):
        place = count % 3
        events = [json.dumps(shop.event())] * 2
        events.insert(place, element)
        body = json.dumps(shop.batch(id=f"odd {count}", events="EVENTS")).replace('"EVENTS"', "[" + ",".join(events) + "]").encode()
        status, _, answer = house.post(body, {})
        check(status == 202, what, "refuses all:", status, answer[:300])
        answer = json.loads(answer)
        check(answer["accepted"] == 2 and [each["index"] for each in answer["refused"]] == [place], what, answer)
        refusal = answer["refused"][0]
        found = (refusal["reason"], refusal["detail"]["pointer"], refusal["detail"].get("member"))
        check(found == ("invalid_value", f"/events/{place}{pointer}", member), what, "is at", found)
        check(refusal["detail"].get("expected"), what, "has no word of what is expected:", refusal)
    say(f"{len(rows)} odd events were refused by themselves")


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
