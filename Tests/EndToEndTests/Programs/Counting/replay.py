"""`throng replay` posts recordings of events and of batches, and its exit codes mean what its help says; `throng plan
check` names file, line and column."""

import json
import os
import time

import daemon
import shop
from daemon import check, say


def lines(objects):
    return "".join(json.dumps(each) + "\n" for each in objects)


def replay(house, *arguments, stdin=None, to=None):
    code, out, talk = daemon.run("replay", "--to", to or f"http://127.0.0.1:{house.port}", "--json", *arguments, stdin=stdin)
    return code, json.loads(out) if out.strip() else None, talk


def expect(result, code, **tally):
    found, counted, talk = result
    check(found == code, "the exit code is", found, "not", code, counted, talk)
    for name, value in tally.items():
        check(counted[name] == value, name, "is", counted[name], "not", value)


def events_and_batches(house):
    recording = os.path.join(house.folder, "events.ndjson")
    events = [shop.event(device=f"device {place // 30}", context={"channel": "email"}, fields={}) for place in range(300)]
    daemon.write(recording, lines(events) + "\n  \n")
    expect(replay(house, "--app", "shop", "--purpose", "product", recording), 0,
           sent=300, accepted=300, refused=0, batches=10, refusals={}, refusedBatches={})
    house.drain()
    check((shop.counted(house), shop.devices(house)) == (300, 10), "events of a recording are counted")

    # A device that comes back is the same; 250 events are three batches.
    mixed = [shop.event(device=name) for name in ("x", "y", "x")] + [shop.event(device="z")] * 250
    expect(replay(house, "--app", "shop", "--purpose", "product", "-", stdin=lines(mixed)), 0, sent=253, batches=6)
    house.drain()
    check((shop.counted(house), shop.devices(house)) == (553, 13), "devices of a recording are told apart")

    # Batches keep their ids: the second run counts nothing.
    batches = lines([shop.batch(f"batch {place}", events=[shop.event()] * 5) for place in range(40)])
    for _ in range(2):
        expect(replay(house, "-", stdin=batches), 0, sent=200, accepted=200, batches=40)
    house.drain()
    check(shop.counted(house) == 753, "recorded batches count once:", shop.counted(house))
    say("events and batches are replayed, batches once")


def refusals(house):
    events = [shop.event(), shop.event("logout"), shop.event("logout"),
              shop.event(at="2020-01-01T00:00:00Z"), shop.event(fields={"shoe_size": 43})]
    expect(replay(house, "--app", "shop", "--purpose", "product", "-", stdin=lines(events)), 2,
           sent=5, accepted=1, refused=4, refusals={"too_old": 1, "unknown_event": 2, "unknown_field": 1})
    # Old windows are refused as a whole, unless they are moved.
    old = lines([shop.batch("old", window=shop.window() - 5)])
    expect(replay(house, "-", stdin=old), 2, refused=1, refusedBatches={"window_out_of_range": 1})
    expect(replay(house, "--now", "-", stdin=old), 0, accepted=1, refused=0)
    expect(replay(house, "-", stdin=lines([shop.batch("x", purpose="spying")])), 2, refusedBatches={"unknown_purpose": 1})
    code, out, talk = daemon.run("replay", "--to", f"http://127.0.0.1:{house.port}/", "--app", "shop", "--purpose", "product", "-",
                                 stdin=lines([shop.event("logout")]))
    check(code == 2 and "unknown_event" in out, "the table for people names the reason:", out)
    say("refusals are counted by reason: exit code 2")


def failures(house):
    event = lines([shop.event()])
    nowhere = f"http://127.0.0.1:{daemon.free_ports(1)[0]}"
    started = time.monotonic()
    code, _, talk = replay(house, "--patience", "2", "-", stdin=lines([shop.batch()]), to=nowhere)
    check(code == 1 and nowhere in talk, "no daemon:", code, talk)
    check(1 < time.monotonic() - started < 120, "patience ends:", time.monotonic() - started)
    cases = {
        "a file that is not there": (["/nowhere.ndjson"], None, 1, "/nowhere.ndjson"),
        "a line that is no JSON": (["-"], lines([shop.batch()]) + "nonsense\n", 1, "line 2"),
        "an event without --app": (["-"], event, 1, "--app"),
        "an app without a plan": (["--app", "none", "--purpose", "product", "-"], event, 1, "none"),
        "a purpose without a plan": (["--app", "shop", "--purpose", "none", "-"], event, 1, "none"),
        "no file": ([], None, 64, "file"),
        "no connections": (["--connections", "0", "-"], event, 64, "--connections"),
        "an unknown option": (["--speed", "9", "-"], event, 64, "--speed"),
    }
    before = house.metrics()["throng_events_accepted_total"]
    for what, (arguments, stdin, code, word) in cases.items():
        found, _, talk = replay(house, *arguments, stdin=stdin)
        check(found == code, what, "ends with", found, talk)
        check(word in talk, what, "is not named:", talk)
    check(house.metrics()["throng_events_accepted_total"] == before, "a run that can't begin sends nothing")
    say("what can't be done ends with 1, a wrong command line with 64")


def plan_check(house):
    """Of a broken plan each problem is named with its place, and serve refuses it, too."""
    check("is valid" in house.command("plan", "check", house.plan), "a valid plan")
    broken = os.path.join(house.folder, "broken.yaml")
    text = daemon.read(house.plan)
    # Line 2 of shop.yaml is the app, `threshold: 5`; a dimension's name is misspelled where a metric uses it.
    text = text.replace("threshold: 5", "threshold: 4").replace("dimensions: [os, channel]", "dimensions: [os, chanel]")
    daemon.write(broken, text)
    expected = [(number, line.index(wanted) + 1)
                for number, line in enumerate(text.splitlines(), 1) for wanted in ("4}", "chanel") if wanted in line]
    out = house.command("plan", "check", broken, ends=2)
    check(all(f"{broken}:{line}:{column}: " in out for line, column in expected) and "channel" in out, expected, "is not named:\n", out)
    code, out, _ = daemon.run("plan", "check", "--json", broken)
    found = {(each["line"], each["column"]) for each in json.loads(out)["problems"]}
    check(code == 2 and set(expected) <= found, "as JSON:", found)
    house.command("plan", "check", "/nowhere.yaml", ends=1)
    house.command("plan", "check", ends=64)
    none = os.path.join(house.folder, "none")
    talk = house.command("serve", "--plan", broken, "--data", none, "--listen", "127.0.0.1:0", ends=1)
    check(f"{broken}:{expected[0][0]}:" in talk and not os.path.exists(none), "serve with a broken plan:", talk)
    say("plan check names file, line and column")


def test():
    house = daemon.Daemon(shop.plan()).start()
    events_and_batches(house)
    refusals(house)
    failures(house)
    plan_check(house)
    check(house.stop() == 0, "serve stops gracefully")
