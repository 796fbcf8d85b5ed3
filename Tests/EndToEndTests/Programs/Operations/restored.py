"""A backup under load is restored exactly, with its journal or without, and it forgets an app that the house forgets. What age took is
refused_backups' and four_hundred_days'."""

import json
import os
import re
import shutil
import time

import daemon
from backed_up_house import WORDS, Load, furnished
from daemon import check, say, until

# They change with a start, and with a migration.
MOVING = ("throng.watermark", "throng.migration", "throng.clock", "throng.member", "throng.member_secret", "throng.epoch",
          "throng.lease", "throng.member_plan", "throng.portal_session",
          "throng.report_reading")


def same(house):
    """Of a house at rest everything is restored as it was, in every table and every view."""
    check(house.stop() == 0, "serve stops gracefully")
    said = house.backup("still")
    check("everything up to batch 120" in said, said)
    check("is there already" in house.backup("still", ends=1), "no file takes another's place")
    house.start()
    before = house.contents(without=MOVING)
    check(len(before) > 30 and sum(int(count) > 0 for count, _ in before.values()) > 20, before)
    secret = open(os.path.join(house.data, "installation.secret")).read()
    check(house.stop() == 0, "serve stops gracefully")
    check("is not empty" in house.restore("still", ends=1), "no directory is written over")
    check("has no keys" in house.throng("restore", house.at("still"), "--data", house.at("new"), ends=1), "keys are asked for")
    house.lose_all()
    said = house.restore("still")
    check("batch 120" in said and "Without its journal" in said, said)
    check(sorted(os.listdir(house.folder)) == sorted(
        ["clock", "clock.so", "daemon.log", "data", "elsewhere", "gone.yaml", "kept.yaml"]), os.listdir(house.folder))
    check(open(os.path.join(house.data, "installation.secret")).read() == secret, "its secret")
    check({"keys.json", "key.pem"} == set(os.listdir(os.path.join(house.data, "signing"))), "its keys")
    house.start()
    after = house.contents(without=MOVING)
    check(after == before, {name: (before.get(name), after.get(name)) for name in before if before[name] != after.get(name)})
    check(house.visits() == 120, house.visits())
    house.visit("gone", WORDS[0], 1)
    house.drain()
    check(house.visits() == 121, "it counts on")
    # Nobody waits for the daemon that was lost.
    house.throng("release", "--ignore-grace", "--plan", house.plan, "--data", house.data)
    say("a house at rest is restored as it was, and goes on; nobody waits for the lost daemon")


def batches(said):
    """Up to which batch of each daemon a backup is, together."""
    return sum(int(number) for number in re.findall(r"batch (\d+)", said))


def under_load(house):
    """The machine is lost: all of the snapshot is there, and nothing of later."""
    with Load(house):
        # Some of it has to be in the database.
        until(lambda: house.visits() > 130, "nothing of the load is counted", seconds=400)
        said = house.backup("busy")
        time.sleep(1)
    house.drain()
    house.kill()
    house.lose_all()
    again = house.restore("busy")
    check(batches(said) == batches(again) > 121, said, again)
    house.start()
    check(house.visits() == batches(said) < house.acknowledged, house.visits(), said, house.acknowledged)
    house.acknowledged = house.visits()
    say("under load everything up to the snapshot is restored, and nothing besides")


def with_journal(house):
    """Only PostgreSQL is lost: everything that was acknowledged is there, and what was taken back is not."""
    house.visit("gone", WORDS[0], "who withdraws")
    house.drain()
    with Load(house):
        time.sleep(1)
        house.backup("before")
        time.sleep(1)
    house.withdraw("gone", "who withdraws")
    house.drain()
    until(lambda: house.visits() == house.acknowledged, "it is taken back", seconds=400)
    with Load(house):
        time.sleep(0.5)
    house.kill()
    restore = ["restore", house.at("before"), "--data", house.data, "--database-only"]
    check("Move it away" in house.throng(*restore, ends=1), "a PostgreSQL is there")
    house.lose_postgres()
    said = house.throng(*restore)
    found = re.search(r"the backup is up to batch (\d+), and the next start flushes again what came after it, up to batch (\d+)", said)
    check(found and int(found[1]) < int(found[2]), said)
    house.start()
    check("Another process works in" in house.throng(*restore, ends=1), "a daemon runs")
    house.drain()
    check(house.visits() == house.acknowledged, house.visits(), house.acknowledged)
    say("with its journal everything is restored up to the last batch that was acknowledged, but for what was taken back")


def with_app(house):
    """What was deleted with an app can't be read in a backup of before."""
    # What is old by now goes first: a backup says what of it is still there.
    until(lambda: all(house.metrics().get(f'throng_retention_overdue_steps{{app="{app}"}}') == 0 for app in ("gone", "kept")),
          "nothing is overdue", seconds=400)
    house.backup("both")
    shutil.copy(house.at("keys"), house.at("old keys"))
    mine = daemon.read(house.data, "daemon.id").split("\n")[1].strip().lower()
    lost = [row[0] for row in house.sql("select daemon from throng.watermark") if row[0] != mine]
    house.sql(f"""update throng.watermark set attached_at = now() - interval '1 day', advanced_at = now() - interval '1 day',
        settled_at = null where daemon <> '{mine}'""")
    check(house.stop() == 0, "serve stops gracefully")
    without = [each for one in lost for each in ("--without", one)]
    said = house.throng("app", "delete", "gone", "--yes", "--data", house.data, *without)
    check("keys of backups: " in said and "Export the keys anew" in said, said)
    house.plans = [house.other]
    house.start()
    house.export()
    found = house.copy("both", ends=2)
    check(WORDS[0] not in found[1] + found[2] and WORDS[1] in found[1], "it is gone, and the other app is there")
    check(WORDS[0] in house.copy("both", keys="old keys")[1], "with a copy of the keys it would be there")
    text = house.throng("retention", "status", "--ledger", "--data", house.data, "--app", "gone", "--json")
    check(any(each["kind"] == "backups" and each["subject"] == "everything" for each in json.loads(text)), text)
    say("an app that was deleted is not restored, and the other one is")


def test():
    house = furnished()
    same(house)
    under_load(house)
    with_journal(house)
    with_app(house)
