"""An app is deleted: nothing that was planted with it is found in a dump or in the data directory, and the other app on the
same daemon counts on as if nothing had been."""

import itertools
import json
import os
import time

import daemon
from daemon import check, say, until

ROTATION = daemon.rotation_with_time_left([86400, 23 * 3600, 22 * 3600])
EXPIRES = daemon.expiry()
# An hour that goes on while what is over is released, in which is counted until the end, whatever the time; and one that is over.
OPEN = daemon.hour_with_time_left()
HOUR = OPEN - 3600
MARK = "plantedword"


def plan(app, word, folder):
    return f"""
app: {{name: {app}, title: Title {word}, owner: Tests, contact: {word}@example.com, audience: 100, threshold: 5}}
purposes:
  p_{word}: {{explanation: To see {word}., consent: not_required, rotation: {daemon.duration(ROTATION)}, retention: 30 days}}
dimensions:
  d_{word}: {{title: D {word}, field: kind, list: [{word}one, {word}two], partitions: devices}}
  learned: {{title: Learned, field: learned, revealed: {{most: 5}}}}
metrics:
  m_{word}: {{title: M {word}, events: [e_{word}], question: What {word}?, decision: None., owner: Tests, expires: {EXPIRES},
    purpose: p_{word}, dimensions: [d_{word}, learned], period: hour, contribution_bound: 100,
    measures: {{reach: true, sums: {{s_{word}: {{field: amount, from: 0, to: 1000, decimals: 2, unit: EUR}}}}}}}}
insights:
  i_{word}: {{title: I {word}, metric: m_{word}, kind: count, by: [d_{word}]}}
partners:
  b_{word}: {{title: B {word}, contact: {word}b@example.com}}
reports:
  r_{word}: {{title: R {word}, partner: b_{word}, insights: [i_{word}], period: hour, schedule: 0 * * * *, formats: [json, csv],
    deliver: [{{folder: out/{word}}}, {{folder: {folder}}}]}}
"""


class House(daemon.Daemon):
    """Two apps."""

    def __init__(self):
        super().__init__("", name="gone")
        self.outside = os.path.join(self.folder, "outside")
        daemon.write(self.plan, plan("gone", MARK, os.path.join(self.outside, MARK)))
        self.other = self.add_plan(plan("kept", "otherword", os.path.join(self.outside, "otherword")), "kept")

    def rows(self, app):
        return {
            "counters": self.sql(f"""select l.metric, t.period_start, t.measure, t.cell, t.value from throng.counter as t
                join throng.metric_layout as l using (metric_id) where l.app = '{app}' order by 1, 2, 3, 4"""),
            "identifiers": self.sql(f"""select l.metric, t.period_start, t.margin, t.cell, t.window_number, t.devices
                from throng.distinct_count as t join throng.metric_layout as l using (metric_id)
                where l.app = '{app}' order by 1, 2, 3, 4, 5"""),
            "released": self.sql(f"""select r.metric, r.period_start, c.margin, c.cell, c.count
                from throng.released_cell as c join throng.release as r using (release_id)
                where r.app = '{app}' order by 1, 2, 3, 4"""),
            "files": self.sql(f"select report, name, md5(contents) from throng.run_file where app = '{app}' order by 1, 2"),
        }


def visit(house, app, word, device, at=None, kind="one"):
    house.take({
        "app": app, "batch": os.urandom(16).hex(), "purpose": f"p_{word}", "window": int(time.time()) // ROTATION,
        "id": f"device {device}", "context": {"kind": word + kind},
        "events": [{"event": f"e_{word}", "at": daemon.instant(at or HOUR + 1800), "fields": {"amount": 2.5}}]})


def found(house, *words):
    """Where the words are: in files' names and bytes of the data directory, in reports' folders, in a dump."""
    places = []
    for path, text in itertools.chain(daemon.files(house.data), daemon.files(house.outside)):
        places += [(word, path) for word in words if word.encode() in text or word in path]
    dump = house.dump()
    for word in words:
        if word in dump:
            places.append((word, "the dump", [line for line in dump.split("\n") if word in line][:5]))
    return places


def checkpoint(house):
    return os.path.join(house.data, "checkpoint")


def delete(house, *more, stdin=None, app="gone"):
    return daemon.run("app", "delete", app, "--data", house.data, *more, stdin=stdin)


def furnished():
    house = House()
    check(daemon.run("key", "new", "--data", house.data)[0] == 0, "a key")
    # A checkpoint after every batch.
    house.settings["THRONG_TEST_JOURNAL_CHECKPOINT_BYTES"] = "1"
    house.start()
    for app, word in (("gone", MARK), ("kept", "otherword")):
        for device in range(30):
            visit(house, app, word, device, kind="one" if device < 20 else "two")
            visit(house, app, word, device, at=OPEN, kind="one" if device < 20 else "two")
    house.sql(f"select throng.learn_label('gone', 'learned', 5, '{MARK}value')")
    house.drain()
    house.release()
    house.command("report", "--plan", house.plan, "--plan", house.other, "--data", house.data)
    house.command("token", "new", "--plan", house.plan, "--partner", f"b_{MARK}", "--data", house.data)
    check(len(os.listdir(os.path.join(house.outside, MARK))) == 4, os.listdir(house.outside))
    return house


def refused(house):
    """While a daemon runs, or PostgreSQL lacks something, or the name is wrong, nothing is deleted."""
    before = house.rows("gone")
    check(all(before.values()), "something of each kind is there", {name: len(rows) for name, rows in before.items()})
    code, _, talk = delete(house, "--yes")
    check(code == 1 and "A daemon works in" in talk and "Nothing was deleted" in talk, code, talk)
    house.settings["THRONG_FLUSH_SECONDS"] = "3600"
    check(house.stop() == 0, "serve stops gracefully")
    house.start()
    house.drain()
    visit(house, "kept", "otherword", 0, at=OPEN)
    house.kill()
    code, _, talk = delete(house, "--yes")
    check(code == 1 and "PostgreSQL lacks 1 batch" in talk and "Nothing was deleted" in talk, code, talk)
    del house.settings["THRONG_FLUSH_SECONDS"]
    house.start()
    house.drain()
    check(house.rows("gone") == before, "all is there")
    check(found(house, MARK), "what was planted is found")
    kept = house.rows("kept")
    until(lambda: os.path.exists(checkpoint(house)), "a checkpoint", seconds=300)
    check(house.stop() == 0, "serve stops gracefully")
    check(os.path.exists(checkpoint(house)), "what is known of open windows is in a checkpoint")
    for stdin in ("kept\n", ""):
        code, _, talk = delete(house, stdin=stdin)
        check(code == 1 and "That is not gone. Nothing was deleted." in talk, code, talk)
    code, _, talk = delete(house, "--yes", app="nobody")
    check(code == 1 and "There is gone, kept." in talk, code, talk)
    code, _, talk = daemon.run("app", "delete", "gone", "--yes", "--data", house.folder)
    check(code == 1 and "is no data directory" in talk, code, talk)
    say("nothing is deleted by halves")
    return kept


def gone(house, kept):
    code, text, talk = delete(house, stdin="gone\n")
    check(code == 0, code, text, talk)
    for word in ("numbers: ", "counters: ", "files: 4", "copies: 8", "coverage: ", "labels: 1", "records: ", "keys of windows: 1"):
        check(word in text, word, "is not said:", text)
    check(not os.path.exists(checkpoint(house)), "the checkpoint goes with an app that it is of")
    check("dumps of the database" in talk and "throng backup keys" in talk, talk)
    house.plans = [house.other]
    house.start()
    check(found(house, MARK) == [], "is still there:", found(house, MARK))
    check(all(not rows for rows in house.rows("gone").values()), "rows are left")
    check(house.rows("kept") == kept, "the other app has all it had")
    check(len(os.listdir(os.path.join(house.outside, "otherword"))) == 4, "its reports too")
    check(not os.path.exists(os.path.join(house.outside, MARK)), "an empty folder goes")
    # Who was counted in the open window is still known.
    for device in range(30):
        visit(house, "kept", "otherword", device, at=OPEN, kind="one" if device < 20 else "two")
    house.drain()
    check(house.rows("kept")["identifiers"] == kept["identifiers"], "nobody of the other app is counted twice")
    say("nothing that was planted is found; the other app counts on")

    code, text, talk = daemon.run("retention", "status", "--ledger", "--data", house.data, "--app", "gone", "--json")
    entries = json.loads(text)
    check(code == 0 and {each["kind"] for each in entries} ==
          {"numbers", "counters", "files", "copies", "coverage", "labels", "records"}, code, entries, talk)
    check({(each["subject"], each["term"]) for each in entries} == {("everything", "the app was deleted")}, entries)
    proof = os.path.join(house.folder, "proof")
    house.command("retention", "prove", "--data", house.data, "--out", proof)
    keys = os.path.join(house.data, "signing", "keys.json")
    check(daemon.run("verify", proof, "--key", keys)[0] == 0, "it can be proved")

    check(house.stop() == 0, "serve stops gracefully")
    code, text, talk = delete(house, "--yes")
    check(code == 0 and "PostgreSQL has nothing of gone since" in talk and "numbers" not in text, code, text, talk)
    # With its plan it is counted anew, at once: nothing of its windows is known any more.
    house.plans = [house.plan, house.other]
    house.start()
    visit(house, "gone", MARK, 1, at=time.time())
    house.drain()
    check(len(house.rows("gone")["counters"]) > 0, "a new app of the name counts")
    say("that it was deleted is in the ledger and can be proved; a new app of its name begins with nothing")


def own_postgres(house):
    """With an operator's own PostgreSQL its pages are left to its vacuum: what is looked for here is found, where it is left."""
    house.drain()
    house.kill()
    database = f"host={house.data}/postgres user=postgres dbname=throng"
    code, text, talk = delete(house, "--yes", "--database", database)
    check(code == 0 and "records: " in text and "`vacuum full`" in talk, code, text, talk)
    places = found(house, MARK)
    check(places and all("/postgres/" in place[1] for place in places), "what is left is in PostgreSQL's files:", places)
    check(not any(house.rows("gone").values()), "and in no row")
    house.plans = [house.other]
    house.start()
    check(house.stop() == 0, "serve stops gracefully")
    say("without writing the tables anew it would be found")


def test():
    house = furnished()
    kept = refused(house)
    gone(house, kept)
    own_postgres(house)
