"""What age took is proved to somebody without the database; what it should have taken and did not take calls for help."""

import json
import os
import re
import time

import jsonschema

import daemon
import small_house
from daemon import check, say, until

GAUGE = '{app="salon"}'


def prove(house, *more):
    return daemon.run("retention", "prove", "--data", house.data, *more)


def verify(house, folder):
    code, text, talk = daemon.run("verify", folder, "--key", os.path.join(house.data, "signing", "keys.json"))
    return code, text + talk


def valid(text):
    document = json.loads(text)
    jsonschema.validate(document, json.loads(daemon.read(daemon.ROOT, "Schema", "proof.schema.json")))
    return document


def read(folder):
    [name] = [name for name in os.listdir(folder) if name.endswith(".proof.json")]
    return os.path.join(folder, name), daemon.read(folder, name)


def unproved(house):
    """Nothing went yet, and there is no key."""
    code, text, talk = prove(house)
    document = valid(text)
    check(code == 0 and document["entries"] == [] and document["key"] is None and "Nobody signed this" in talk, code, talk)
    check(document["chain"]["head"] == {"place": 0, "digest": "0" * 64}, document["chain"])
    check([each["term"] for each in document["due"]] == ["after 30 days: delete"], document["due"])
    check({each["kind"] for each in document["held"]} >= {"counters", "coverage"}, document["held"])
    folder = os.path.join(house.folder, "unsigned")
    code, _, talk = prove(house, "--out", folder)
    check(code == 1 and "There is no key" in talk and not os.path.exists(folder), code, talk)
    check(daemon.run("key", "new", "--data", house.data)[0] == 0, "a key")
    folder = os.path.join(house.folder, "empty")
    code, text, talk = prove(house, "--out", folder)
    check(code == 0 and len(text.split()) == 3, code, text, talk)
    code, found = verify(house, folder)
    check(code == 0 and "none of 0 entries; nothing overdue" in found, code, found)
    check(prove(house, "--from", "yesterday")[0] == 64, "a wrong date")
    check(prove(house, "--from", "2026-02-02", "--to", "2026-02-01")[0] == 64, "the wrong way round")
    say("an empty ledger is proved as such; without a key there is no proof")


def late(house):
    """Age can't take what it should: metrics, log, status and proof say so, until it can."""
    check(house.stop() == 0, "serve stops gracefully")
    check(daemon.run("retention", "status", "--data", house.data)[0] == 0, "nothing is overdue yet")
    house.settings["THRONG_TEST_SCHEDULE_SECONDS"] = "1"
    house.start()
    until(lambda: house.metrics().get("throng_retention_overdue_steps" + GAUGE) == 0, "nothing is overdue at first")
    check(house.metrics()["throng_retention_deadline_timestamp_seconds" + GAUGE]
          == small_house.HOUR + 3600 + 30 * 86400 + 26 * 3600, "the deadline is a day and two hours after the age")
    house.sql("alter table throng.release disable trigger release_never_changes;"
              "update throng.release set period_start = period_start - interval '3 days', period_end = period_end - interval '3 days';"
              "alter table throng.release enable trigger release_never_changes;"
              "update throng.layout_promise set ages = '{3600}';"
              "revoke execute on function throng.drop_released(integer, text, smallint, timestamptz, timestamptz, text)"
              " from throng_reporter")
    check(house.stop() == 0, "serve stops gracefully")
    house.start()
    until(lambda: house.metrics().get("throng_retention_overdue_steps" + GAUGE) == 1, "one step is overdue")
    check(house.metrics()["throng_retention_deadline_timestamp_seconds" + GAUGE] < time.time(), "its deadline has passed")
    line = re.search(r".*error.*what should have gone by its age is still there.*", house.log_text())
    check(line and "salon" in line[0] and "after 1 hour: delete" in line[0], line and line[0], house.log_text()[-2000:])
    code, _, talk = daemon.run("retention", "status", "--data", house.data)
    check(code == 1 and "1 promise overdue" in talk, code, talk)
    folder = os.path.join(house.folder, "late")
    code, _, talk = prove(house, "--out", folder)
    check(code == 2 and "1 promise overdue" in talk, code, talk)
    check(valid(read(folder)[1])["overdue"] == 1, "the proof says so")
    code, found = verify(house, folder)
    check(code == 0 and "1 overdue" in found, code, found)
    house.sql("grant execute on function throng.drop_released(integer, text, smallint, timestamptz, timestamptz, text)"
              " to throng_reporter")
    until(lambda: house.metrics().get("throng_retention_overdue_steps" + GAUGE) == 0, "it is taken as soon as it can be")
    check(house.metrics()["throng_retention_deadline_timestamp_seconds" + GAUGE] == 0, "nothing is left")
    say("what is late is said by metrics, log, status and proof, until it is gone")


def proved(house):
    """One that goes on is proved, and one with an entry that was changed is no good. RetentionProofTests change it in every way."""
    for rows in (3, 4, 5):
        house.sql(f"select throng.note_deletion('salon', 'coverage', 'events', 'with the first numbers', null, null, {rows})")
    folder = os.path.join(house.folder, "proof")
    code, _, talk = prove(house, "--out", folder)
    check(code == 0 and "4 entries of 4" in talk, code, talk)
    path, text = read(folder)
    document = valid(text)
    [first, *_] = document["entries"]
    check((first["kind"], first["subject"], first["term"]) == ("numbers", "visits", "after 1 hour: delete"), first)
    code, ledger, _ = daemon.run("retention", "status", "--ledger", "--data", house.data, "--json")
    check(code == 0 and json.loads(ledger)[-1]["digest"] == document["chain"]["head"]["digest"], "the ledger ends as well with")
    code, found = verify(house, folder)
    check(code == 0 and "has entries 1 to 4 without a gap" in found, code, found)
    document["entries"][1]["rows"] = 2
    daemon.write(path, json.dumps(document, indent=2))
    code, found = verify(house, folder)
    check(code == 1 and "entry 2, or the digest before it, was changed" in found, code, found)
    code, text, talk = prove(house, "--from", "2100-01-01")
    check(code == 0 and json.loads(text)["entries"] == [] and "No entry of the ledger is of that time: 4 entries" in talk, talk)
    check(json.loads(text)["chain"]["before"] == document["chain"]["head"], "it begins where the others end")

    # Somebody who owns the table takes an entry out.
    house.sql("alter table throng.deletion disable trigger deletion_never_changes; delete from throng.deletion where place = 2")
    broken = os.path.join(house.folder, "broken")
    code, _, talk = prove(house, "--out", broken)
    check(code == 1 and "The chain is broken at entry 3" in talk, code, talk)
    check(valid(read(broken)[1])["chain"]["broken_at"] == 3, "the proof says so, too")
    code, found = verify(house, broken)
    check(code == 1 and "entry 2 is missing" in found, code, found)
    say("what went is proved; an entry that was edited or dropped is named")


def test():
    house = small_house.open_house()
    unproved(house)
    late(house)
    proved(house)
    check(house.stop() == 0, "serve stops gracefully")
