"""A plan with nothing in each place where a plan may have nothing, beside another app: it is counted, released, shown, proved,
backed up, restored, forgotten and deleted. Where it can't be forgotten, the log, /metrics, the operator's page and the command
say so, and the other app is forgotten all the same."""

import json
import os
import re

import daemon
import long_house
from daemon import check, say, until
from visitors import Visitor
from long_house import DAY, date

DEVICES = 60
BARE = f"""
app: {{name: bare, title: Bare, owner: Team, contact: privacy@example.com, audience: 2000}}
purposes: {{product: {{explanation: To see what is used., consent: not_required, rotation: 1 day, retention: 10 days}}}}
metrics:
  rings: {{title: Rings, events: [ring], question: How many?, decision: Whether we keep it., owner: Team,
    expires: {date(200)}, purpose: product, period: day}}
"""
# As another app: age takes it after three days.
TILL = BARE.replace("bare", "till").replace("Bare", "Till").replace("10 days", "3 days")


def count(house, app, day):
    house.at(day)
    for device in range(DEVICES):
        status, _, body = house.post(json.dumps({
            "app": app, "batch": os.urandom(16).hex(), "purpose": "product", "window": house.clock.now() // DAY,
            "id": f"{day} {device}", "events": [{"event": "ring", "at": f"{date(day)}T12:00:00Z"}]}))
        check(status == 202 and json.loads(body)["accepted"] == 1, status, body)
    house.drain()


def cells(house, app):
    return int(house.sql(
        f"select count(*) from throng.released_cell join throng.release using (release_id) where app = '{app}'")[0][0])


def status(house, ends=0):
    plans = [each for path in house.plans for each in ("--plan", path)]
    return house.throng("retention", "status", "--data", house.data, *plans, ends=ends)


def gauge(house, name, **label):
    [(key, value)] = label.items()
    return house.metrics().get(f'throng_{name}{{{key}="{value}"}}')


def told(house):
    """What tells of it tells it."""
    check("bare rings" in status(house) and "till rings" in status(house), status(house))
    proof = house.throng("retention", "prove", "--data", house.data)
    check('"bare"' in proof and '"till"' in proof, proof)
    house.throng("backup", "keys", "--new-recovery-key", "--data", house.data)
    for path in house.plans:
        check("Rings" in house.throng("plan", "label", path), "a label")
    for path in ("/", "/apps/bare", "/v1/plan/bare"):
        check(house.get(path)[0] == 200, path)
    labels = {f"-{date(1)}."}
    for first, role in (("/explore", "--analyst"), ("/operator", "--operator")):
        pages = Visitor(house, role).pages(first, labels)
        check(any("rings" in text for text in pages.values()), role, "sees", list(pages))
    say("status, proof, label, pages, explorer and the operator's page tell of a plan with nothing in it")


def copied(house):
    """A backup of it restores it."""
    place, keys = (os.path.join(house.folder, name) for name in ("copy", "keys"))
    house.throng("backup", "--data", house.data, "--to", place, "--keys-to", keys)
    house.throng("restore", "--check", place, "--data", house.data)
    say("it is backed up")


def forgotten(house):
    """Age takes each app by its own promise."""
    house.at(6)
    until(lambda: cells(house, "till") == 0, "three days' promise holds for four", seconds=400)
    check(cells(house, "bare") == 1, "ten days' promise")
    for app in ("bare", "till"):
        until(lambda: gauge(house, "retention_overdue_steps", app=app) == 0, "nothing is overdue")
    check(gauge(house, "retention_deadline_timestamp_seconds", app="bare") > 0, "a deadline")
    visitor = Visitor(house, "--operator")

    def page():
        return visitor.ask("GET", "/operator")[2].decode()

    # The clock jumped by days, and each round is missed until it comes.
    until(lambda: "All is well" in page(), "not all is well", seconds=150)
    say("age takes what it promised, and all is well")


def stuck(house):
    """What was promised of one app can't be read."""
    count(house, "till", 7)
    house.at(9, 7)
    until(lambda: cells(house, "till") > 0, "the other app is released", seconds=400)
    house.sql("""update throng.layout_promise set actions = '{melt}'
        where metric_id = (select metric_id from throng.metric_layout where app = 'bare')""")
    house.at(20)
    until(lambda: cells(house, "till") == 0, "trouble with one app ended the other's retention", seconds=400)
    check(cells(house, "bare") == 1, "it went although nobody can read when")
    until(lambda: (gauge(house, "retention_overdue_steps", app="bare") or 0) >= 1, "what is overdue is told without promises",
         seconds=400)
    for round in ("retention", "age"):
        until(lambda: gauge(house, "round_failing", round=round) == 1, round, "failed and does not say so")
        check(gauge(house, "rounds_failed_total", round=round) > 0, round, "is not counted")
    lines = [line for line in house.log_text().split("\n") if "a round did not come to its end" in line]
    check(any("error" in line and "retention" in line and "bare" in line for line in lines), lines)
    page = Visitor(house, "--operator").ask("GET", "/operator")[2].decode()
    check("All is well" not in page and re.search(r"Retention.{0,200}failed", page, re.DOTALL), page)
    check("layout_promise.select" in status(house, ends=1), "the command says which query")
    house.sql("update throng.layout_promise set actions = '{delete}' where actions = '{melt}'")
    until(lambda: cells(house, "bare") == 0, "it goes once it can", seconds=400)
    until(lambda: gauge(house, "round_failing", round="retention") == 0, "the round is well again")
    until(lambda: gauge(house, "retention_overdue_steps", app="bare") == 0, "nothing is overdue any more")
    say("a round that can't be made is told by log, metrics, page and command, and ends no other app's")


def refused(house):
    """PostgreSQL refuses whatever the daemon asks."""
    roles = "throng_ingest"
    house.sql(f"revoke usage on schema throng from {roles}")
    failing = ("flush", "place")
    for round in failing:
        until(lambda: gauge(house, "round_failing", round=round) == 1, round, "failed and does not say so")
        check(gauge(house, "rounds_failed_total", round=round) > 0, round, "is not counted")
        check(re.search(r"(?:error|critical).*\b" + round + r"\b", house.log_text()), round, "is not in the log")
    # What waits for the flush does not fail: it is missed.
    house.at(20, 16)
    for round in ("schedule", "calendar", "releases", "reports", "age"):
        check(gauge(house, "round_due_timestamp_seconds", round=round) < house.clock.now(), round, "is not missed")
    page = Visitor(house, "--operator").ask("GET", "/operator")[2].decode()
    check("All is well" not in page and re.search(r"Schedule.{0,200}late", page, re.DOTALL), page)
    house.sql(f"grant usage on schema throng to {roles}")
    for round in failing:
        until(lambda: gauge(house, "round_failing", round=round) == 0, round, "is not well again")
    until(lambda: gauge(house, "round_due_timestamp_seconds", round="age") > house.clock.now(), "it is looked again")
    say("rounds that PostgreSQL refuses are told, and those that wait for them are missed")


def deleted(house):
    check(house.stop() == 0, "serve stops gracefully")
    for path in list(house.plans):
        app = os.path.basename(path)[:-5]
        house.plans.remove(path)
        if house.plans:
            house.start()
            check(house.stop() == 0, "serve stops gracefully")
        house.throng("app", "delete", app, "--yes", "--data", house.data)
    check(house.throng("retention", "status", "--data", house.data), "status of an empty house")
    house.throng("retention", "prove", "--data", house.data)
    say("both apps are deleted")


def test():
    house = long_house.House({"bare": BARE, "till": TILL})
    house.at(0)
    house.start()
    for app in ("bare", "till"):
        count(house, app, 1)
    house.at(3, 7)
    until(lambda: cells(house, "bare") == cells(house, "till") == 1, "both are released", seconds=400)
    told(house)
    copied(house)
    forgotten(house)
    stuck(house)
    refused(house)
    deleted(house)


if __name__ == "__main__":
    daemon.main(test)
