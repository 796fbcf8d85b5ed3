"""What an operator does by hand, seconds after the events: nothing is left out, and what is not due yet says when it is."""

import json
import re
import time

import daemon
import shop
from daemon import check, say

DAY = 86400
WAITS = "Waiting until PostgreSQL has all"
REPORTS = """
insights:
  by_channel: {title: Views by channel, metric: views, kind: count, by: [channel]}
partners:
  bank: {title: Bank, contact: bank@example.com}
reports:
  daily: {title: Daily, partner: bank, insights: [by_channel], period: day, formats: [json], deliver: [{folder: out}]}
"""


def label(unix_seconds):
    return time.strftime("%Y-%m-%d", time.gmtime(unix_seconds))


def post(house, devices, days_ago, name):
    at = time.strftime("%Y-%m-%dT12:00:00Z", time.gmtime(time.time() - days_ago * DAY)) if days_ago else daemon.instant()
    for number in range(devices):
        house.take(shop.batch(f"{name} {number}", events=[{"event": "view", "at": at, "fields": {"channel": "email"}}]))


def released(house, day):
    """Events and devices of the total of a day's views."""
    return [[int(value) for value in row] for row in house.sql(
                "select c.count, c.reach from throng.released_cell as c join throng.release as r using (release_id)"
                f" where r.metric = 'views' and c.margin = 0 and r.period_start = '{day} 00:00:00+00'")]


def test():
    # A daemon that flushes as rarely as it may: what is posted waits in its journal.
    house = daemon.Daemon(shop.plan() + REPORTS, THRONG_FLUSH_SECONDS="8", THRONG_TEST_SCHEDULE_SECONDS="1").start()
    where = ["--plan", house.plan, "--data", house.data]
    yesterday, today = label(time.time() - DAY), label(time.time())

    # A report that is tried too early says when it is due, and is no failed run.
    talk = house.command("report", "make", "--period", today, *where, ends=1)
    check(label(time.time() + 2 * DAY) in talk, "it says when the report is due:", talk)
    check(json.loads(daemon.run("report", "show", "--json", "--data", house.data)[1]) == [], "nothing is on record")

    # Only a partner is somebody in a plan.
    house.command("token", "new", "--analyst", "--data", house.data)
    made = json.loads(daemon.run("token", "new", "--operator", "--json", "--data", house.data)[1])
    check(made["token"].startswith("throng_") and made["expires"].endswith("Z"), "a program reads", made)
    house.command("token", "revoke", made["id"], "--data", house.data)
    house.command("token", "new", "--partner", "bank", "--data", house.data, ends=64)

    # By hand, seconds after posting.
    post(house, 30, 1, "early")
    house.release()
    check(released(house, yesterday) == [[30, 30]], "all that was acknowledged is in it:", released(house, yesterday))
    say("released by hand:", released(house, yesterday))

    # What is not due is named, with its time.
    post(house, 5, 0, "later")
    code, out, talk = daemon.run("release", *where)
    check(code == 0 and not out, "nothing is due:", out, talk)
    due = time.strftime("%Y-%m-%dT00:00:00Z", time.gmtime(time.time() + 2 * DAY))
    check(re.search(rf"shop views {today}: is over at \S+, due at {due}", talk), "it says when it will be:", talk)

    # A daemon that died may hold something: a release by hand does not go on without it by itself.
    post(house, 7, 0, "held")
    house.kill()
    name = house.sql("select daemon from throng.watermark")[0][0]
    talk = house.command("release", "--ignore-grace", *where, ends=1)
    check(name in talk and f"--without {name}" in talk, "the daemon that is away is named:", talk)
    check(WAITS in talk, "it is waited for in vain:", talk)
    house.release("--without", name)
    house.command("release", "--without", "me", *where, ends=64)

    # Once it is back, and once it has stopped with nothing left, it holds nobody up.
    house.start()
    house.release()
    check(house.stop() == 0, "serve stops gracefully")
    talk = house.release()
    check(WAITS not in talk, "a daemon that has left nothing is not waited for:", talk)
