"""The Swift SDK's sample app against a real daemon: nothing before consent, exact counters after it, nothing doubled when the
daemon was away, and the app's log is byte for byte what the wire carried."""

import concurrent.futures
import json
import os

import daemon
from daemon import check, say, until

NOTES = os.environ.get("THRONG_NOTES_BINARY") or os.path.join(os.path.dirname(daemon.BINARY), "Notes")


def notes(house, folder, *command):
    return daemon.ran(NOTES, f"http://127.0.0.1:{house.port}/v1/plan/notes", folder, *command, seconds=120).stdout


def log(house, folder):
    """What the app shows that it sent."""
    return [json.loads(line) for line in notes(house, folder, "sent").splitlines() if line.startswith("{")]


def counters(house):
    """Events by metric and leaf cell; cells are numbered with the last dimension running fastest, `other` the last bucket."""
    return {(json.loads(layout)["metric"], int(cell)): int(value)
            for layout, cell, value in house.sql(
                "select l.layout::text, c.cell, sum(c.value) from throng.counter c join throng.metric_layout l using (metric_id)"
                " where c.measure = 0 and c.value <> 0 group by 1, 2")}


def becomes(house, expected, what):
    """Takes seconds, in which the daemon goes through its journal, and longer where it rests after a flush."""
    def found():
        house.drain()
        return counters(house)
    until(lambda: found() == expected, what, "is not so: counters should be", expected, "and are", found, seconds=400, pause=0.5)


def test():
    house = daemon.Daemon(daemon.read(daemon.SAMPLE, "notes", "notes.yaml"), name="notes")
    house.start()
    folder = daemon.temporary()
    check("waiting 0" in notes(house, folder, "create", "too", "early"), "an event waits without consent")
    asked = json.loads(notes(house, folder, "question").rsplit("counted ", 1)[0])
    check(asked["consent"] == "notDetermined" and [each["consent"] for each in asked["choices"]] == ["authorized", "denied"]
          and asked["counted"] and asked["explanation"]["text"].startswith("To see which features"), "it asks", asked)
    notes(house, folder, "agree")
    said = notes(house, folder, "create", *["word"] * 12)
    check("counted 1, refused 0, waiting 0" in said, "the first note is not counted:", said)
    shown = json.loads(notes(house, folder, "inspect").rsplit("counted ", 1)[0])
    check([event["counted"][0]["buckets"][-1]["label"] for event in shown["sent"][0]["events"]] and not shown["waiting"],
          "the inspection shows", shown)
    check("length: 10-100" in notes(house, folder, "preview", *["word"] * 12), "the preview names another bucket")
    notes(house, folder, "find")
    say("counted with consent, and nothing before it")

    house.drain()
    check(house.stop() == 0, "the daemon did not stop")
    said = notes(house, folder, "create", "offline")
    check("counted 0" in said and "waiting 1" in said, "a note without a daemon does not wait:", said)
    said = notes(house, folder, "find")
    check("waiting 2" in said, "the second does not wait:", said)
    house.start()
    said = notes(house, folder, "find")
    check("counted 3, refused 0, waiting 0" in said, "what waited is not counted:", said)
    house.drain()
    # use: feature (created, found, other) by os (Linux, macOS, iOS, Android, other); lengths: <10, 10-100, …
    expected = {("use", 0): 2, ("use", 5): 3, ("lengths", 0): 1, ("lengths", 1): 1}
    found = counters(house)
    check(found == expected, "counters are", found, "and should be", expected)
    say("what waited while the daemon was away is counted once")

    bodies = log(house, folder)
    check(len(bodies) == 3, len(bodies), "batches in the log")
    check(len({body["batch"] for body in bodies}) == 3, "a batch's name comes twice")
    check("To see which features are used" in notes(house, folder, "sent"), "the log lacks the purpose")
    for body in bodies:
        check(set(body) <= {"app", "batch", "context", "events", "id", "purpose", "window"}, "a batch has", set(body))
    answer = json.loads(house.post(json.dumps(bodies[0]))[2])
    check(answer["accepted"] == 1, "a repeated batch has another answer:", answer)
    house.drain()
    check(counters(house) == expected, "a batch that was sent again from the log counted again")
    say("the log is what was sent")

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: notes(house, folder, "find"), range(8)))
    until(lambda: "waiting 0" in notes(house, folder, "purposes"), "something waits", seconds=90, pause=1)
    house.drain()
    found = counters(house)
    check(found == expected | {("use", 5): 11}, "of eight apps at once counters are", found)
    bodies = log(house, folder)
    ids = {(body["window"], body["id"]) for body in bodies}
    check(len(ids) == len({body["window"] for body in bodies}), "eight apps at once are several devices:", ids)
    say("eight processes at once count each event once, and are one device")

    said = notes(house, folder, "refuse")
    check("counted 0, refused 0, waiting 0" in said and "not everything" not in said, "the withdrawal failed:", said)
    told = log(house, folder)[len(bodies):]
    known = {(body["window"], body["id"]) for body in bodies}
    check({(body["window"], body["id"]) for body in told} == known and all("events" not in body for body in told),
          "the app withdraws", told, "and sent", known)
    becomes(house, {}, "the counters of the only person, who withdrew, are gone")
    say("refusing takes back what was sent, and the log shows it")

    notes(house, folder, "agree")
    check("counted 1, refused 0, waiting 0" in notes(house, folder, "find"), "who agrees again is not counted")
    becomes(house, {("use", 5): 1}, "who agrees again in the same window is counted again")
    before = {body["id"] for body in bodies}
    notes(house, folder, "reset")
    notes(house, folder, "create", "word")
    after = log(house, folder)
    check(len(after) == 2 and after[0]["id"] not in before and "events" not in after[0], "reset took back", after)
    check(after[1]["id"] not in before | {after[0]["id"]}, "reset left an identifier behind")
    becomes(house, {("use", 0): 1, ("lengths", 0): 1}, "of the two devices the second, which did something else, is left")
    say("reset takes back what the former device sent, and forgets it")
    check(house.stop() == 0, "the daemon did not stop")
