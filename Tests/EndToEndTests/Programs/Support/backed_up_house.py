"""A house of two apps that is backed up: under load, on a clock that moves, with keys that are kept elsewhere."""

import json
import os
import shutil
import signal
import threading
import time

import daemon
from daemon import check
from moving_clock import MovingClock

DAY = 86400
EXPIRES = daemon.expiry(300)
# One o'clock in the morning: the day before can be released at once, and windows of a day have 23 hours left.
MORNING = int(time.time()) // DAY * DAY + 3600
WORDS = ("plantedword", "otherword")


def plan(app, word):
    return f"""
app: {{name: {app}, title: Title {word}, owner: Tests, contact: {word}@example.com, audience: 100, threshold: 5}}
purposes:
  use: {{explanation: To see {word}., consent: not_required, rotation: 1 day, retention: 40 days}}
dimensions:
  kind: {{title: Kind, field: kind, list: [{word}one, {word}two], partitions: devices}}
metrics:
  visits: {{title: Visits, events: [visit], question: What?, decision: None., owner: Tests, expires: {EXPIRES}, purpose: use,
    dimensions: [kind], period: day, contribution_bound: 1000, decay: [{{after: 20 days, drop: kind}}],
    measures: {{reach: true, sums: {{paid: {{field: amount, from: 0, to: 1000, decimals: 2, unit: EUR}}}}}}}}
insights:
  seen: {{title: Seen, metric: visits, kind: count, by: [kind]}}
partners:
  bank: {{title: Bank, contact: bank@example.com}}
reports:
  hourly: {{title: Hourly, partner: bank, insights: [seen], period: day, schedule: 0 1 * * *, formats: [json, csv],
    deliver: [{{folder: out/{word}}}]}}
"""


class House(daemon.Daemon):
    """Two apps, a clock that moves, and a place for what is kept elsewhere."""

    def __init__(self):
        super().__init__("", name="gone")
        self.other = os.path.join(self.folder, "kept.yaml")
        for app, word, path in (("gone", WORDS[0], self.plan), ("kept", WORDS[1], self.other)):
            daemon.write(path, plan(app, word))
        self.plans = [self.plan, self.other]
        self.clock = MovingClock(self.folder, MORNING)
        self.settings = {**self.clock.variables, "THRONG_TEST_SCHEDULE_SECONDS": "1"}
        self.elsewhere = os.path.join(self.folder, "elsewhere")
        os.mkdir(self.elsewhere)
        self.acknowledged = 0

    def throng(self, *words, ends=0, point=None):
        """A command, which dies at a named place where there is one."""
        return self.command(*words, ends=ends, **({"THRONG_FAULT_POINT": point} if point else {}))

    def at(self, name):
        return os.path.join(self.elsewhere, name)

    def backup(self, name, **how):
        return self.throng("backup", "--data", self.data, "--to", self.at(name), "--keys-to", self.at("keys"), **how)

    def export(self):
        self.throng("backup", "keys", "--data", self.data, "--to", self.at("keys"))

    def restore(self, name, *more, to=None, keys="keys", **how):
        return self.throng(
            "restore", self.at(name), "--data", to or self.data, "--keys", self.at(keys), "--recovery-key", self.at("line"), *more, **how)

    def visit(self, app, word, device, kind="one", amount=2.5):
        now = self.clock.now()
        status, _, body = self.post(json.dumps({
            "app": app, "batch": os.urandom(16).hex(), "purpose": "use", "window": now // DAY,
            "id": f"device {device}", "context": {"kind": word + kind},
            "events": [{"event": "visit", "at": daemon.instant(now), "fields": {"amount": amount}}]}))
        check(status == 202 and json.loads(body)["accepted"] == 1, "a visit was answered with", status, body)
        self.acknowledged += 1

    def withdraw(self, app, device):
        """Takes the one visit of a device back."""
        body = {"app": app, "purpose": "use", "window": self.clock.now() // DAY, "id": f"device {device}"}
        status = self.post(json.dumps(body), path="/v1/withdraw")[0]
        check(status == 202, "a withdrawal was answered with", status)
        self.acknowledged -= 1

    def visits(self):
        return int(self.sql("select coalesce(sum(value), 0) from throng.counter where measure = 0")[0][0])

    def contents(self, without=()):
        """A digest of each table and each of the analysts' views. Links that sign in once do not come back."""
        tables = self.sql("""select format('%I.%I', relnamespace::regnamespace, relname) from pg_class
            where relnamespace in ('throng'::regnamespace, 'analyst'::regnamespace) and relkind in ('r', 'p', 'v')
                and not relispartition order by 1""")
        row = "(to_jsonb(t) - 'link_hash' - 'link_until')::text"
        digest = f"count(*), md5(coalesce(string_agg({row}, ';' order by {row}), ''))"
        return {table: self.sql(f"select {digest} from {table} as t")[0] for [table] in tables if table not in without}

    def copy(self, name, keys="keys", ends=0):
        """Restores into a database beside the house's own; what it said, the dump, and the files of the data directory."""
        folder = self.at("copy")
        database = f"host={self.data}/postgres user=postgres dbname=copy"
        self.sql("create database copy")
        try:
            said = self.restore(name, "--database", database, to=folder, keys=keys, ends=ends)
            files = b"".join(path.encode() + text for path, text in daemon.files(folder))
            return said, self.dump("copy"), files.decode(errors="replace")
        finally:
            self.sql("drop database copy with (force)")
            shutil.rmtree(folder, ignore_errors=True)

    def lose_postgres(self):
        """Nothing of PostgreSQL is left."""
        pid = self.postgres_pid()
        if pid:
            os.kill(pid, signal.SIGQUIT)
            while self.postgres_pid():
                time.sleep(0.05)
        shutil.rmtree(os.path.join(self.data, "postgres"))

    def lose_all(self):
        self.lose_postgres()
        shutil.rmtree(self.data)


class Load:
    """Visits, one after the other, until it is stopped."""

    def __init__(self, house):
        self.house, self.isOver, self.failure = house, False, None
        self.thread = threading.Thread(target=self.run)

    def run(self):
        device = 1000
        try:
            while not self.isOver:
                device += 1
                self.house.visit("gone" if device % 2 else "kept", WORDS[device % 2 == 0], device)
        except Exception as failure:
            self.failure = failure

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.isOver = True
        self.thread.join()
        check(self.failure is None, self.failure)


def furnished():
    house = House()
    check(daemon.run("key", "new", "--data", house.data)[0] == 0, "a key")
    house.start()
    for day in (MORNING, MORNING + DAY):
        house.clock.move(day)
        for app, word in (("gone", WORDS[0]), ("kept", WORDS[1])):
            for device in range(30):
                house.visit(app, word, device, kind="one" if device < 20 else "two")
        house.drain()
    house.release()
    house.throng("report", *house.named_plans(), "--data", house.data)
    house.throng("token", "new", "--plan", house.plan, "--partner", "bank", "--data", house.data)
    check("There is no recovery key" in house.backup("none", ends=1) and os.listdir(house.elsewhere) == [], "nothing is made")
    line = house.clock.run("backup", "keys", "--new-recovery-key", "--data", house.data)[1]
    daemon.write(house.at("line"), line)
    check("--replace" in house.throng("backup", "keys", "--new-recovery-key", "--data", house.data, ends=1), "there is one already")
    return house
