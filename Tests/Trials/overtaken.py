"""Releases by the schedule of three daemons that are stopped in the middle of one: whoever has the lease stands still at a statement of
its transaction, and comes back once a person has published without it; or is killed there; or one is lost, or joins, while the release waits or a
flush is on its way. Every period is released once, as a whole, with all that was acknowledged for it before, and nothing counts twice.

Usage: see Deploy/trial
"""

import argparse
import calendar
import json
import os
import random
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../EndToEndTests/Programs/Support"))

import daemon  # noqa: E402
import fleet  # noqa: E402
import shop  # noqa: E402
from daemon import check, say, until  # noqa: E402

ROTATION, HOUR = 60, 3600
# Where a transaction of a release is held: what it does to a table.
PLACES = {"closed_period": "insert", "release": "insert", "released_cell": "insert", "open_period": "delete",
          "distinct_count": "delete"}


def plan():
    """Hours instead of days, released as soon as they are over: there are many of them to release."""
    return shop.plan().replace(daemon.duration(shop.ROTATION), daemon.duration(ROTATION)).replace(
        "period: day", "period: hour").replace("threshold: 5}", "threshold: 5, grace: 1 minute}")


class Hold:
    """Holds whoever comes to a statement, until it is let go."""

    def __init__(self, house, table, action):
        self.house, self.table = house, table
        house.postgres.sql(f"""
            create or replace function public.hold() returns trigger language plpgsql security definer as $$
            begin perform pg_advisory_xact_lock_shared(4242); return null; end $$;
            create trigger hold after {action} on throng.{table} for each statement execute function public.hold()""")
        self.session = subprocess.Popen(
            ["psql", "-X", "-q", "-A", "-t", "-h", house.postgres.folder, "-U", "postgres", "-d", "throng"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.ask("select pg_advisory_lock(4242)")

    def ask(self, query):
        self.session.stdin.write(query + ";\n\\echo done\n")
        self.session.stdin.flush()
        while (line := self.session.stdout.readline()) and line.strip() != "done":
            check("ERROR" not in line, query, line)

    def reached(self, seconds=60):
        """Once somebody is held: by which process of PostgreSQL."""
        return until(lambda: self.house.postgres.sql(
            "select pid from pg_locks where locktype = 'advisory' and objid = 4242 and not granted"),
                     "nobody comes to " + self.table, seconds=seconds)

    def end(self):
        self.ask("select pg_advisory_unlock(4242)")
        self.session.stdin.close()
        self.session.wait(20)
        # Whoever is in the middle of it keeps the table: what it has passed does not hold it any more.
        self.house.postgres.sql("create or replace function public.hold() returns trigger language plpgsql as"
                                " $$ begin return null; end $$")

    def remove(self):
        until(lambda: self.tries(f"set lock_timeout = '1s'; drop trigger if exists hold on throng.{self.table}"),
              "the trigger is in use", seconds=400)

    def tries(self, query):
        try:
            self.house.postgres.sql(query)
            return True
        except daemon.Failure:
            return False


class Trials:
    def __init__(self, chance):
        self.chance = chance
        self.house = fleet.Fleet(plan(), names="abc")
        for name in "abc":
            self.house[name].settings["THRONG_TEST_SCHEDULE_SECONDS"] = "1"
            self.house[name].start()
            if name != "a":
                self.house.join(name)
        time.sleep(2 * ROTATION - time.time() % ROTATION + 1)
        # The hour before last and those before it: events may be 48 hours old.
        self.hour = int(time.time()) // HOUR - 2
        self.acknowledged, self.by_hour, self.names = 0, {}, 0

    @property
    def alive(self):
        return [member for member in self.house.members.values() if member.process.poll() is None and not member.is_frozen]

    def post(self, hour, devices, doors=None):
        """So many devices with one to three events each in an hour; all of them acknowledged."""
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(hour * HOUR + 1800))
        for _ in range(devices):
            self.names += 1
            count = self.chance.randint(1, 3)
            body = json.dumps({
                **shop.batch(f"device {self.names}", events=[
                    {"event": "view", "at": at, "fields": {"channel": self.chance.choice(["email", "direct"])}}] * count),
                "window": int(time.time()) // ROTATION})
            answer, deadline = None, time.monotonic() + 100
            while answer is None:
                check(time.monotonic() < deadline, "a batch was not acknowledged")
                try:
                    status, _, text = self.chance.choice(doors or self.alive).post(body)
                except OSError:
                    continue
                check(status in (202, 503), "posted:", status, text)
                answer = json.loads(text) if status == 202 else None
                if answer is None:
                    time.sleep(0.1)
            check(answer["accepted"] == count, "counted:", answer)
            self.acknowledged += count
            self.by_hour[hour] = self.by_hour.get(hour, 0) + count

    def holder(self):
        found = self.house.postgres.sql("select daemon from throng.lease where name = 'schedule' and until > now()")
        return next((member for member in self.house.members.values() if found and member.id == found[0][0]), None)

    def released(self, hour):
        return [[int(value) for value in row] for row in self.house.postgres.sql(
            "select c.count, coalesce(c.reach, 0) from throng.release as r join throng.released_cell as c using (release_id)"
            f" where r.metric = 'views' and c.margin = 0 and r.period_start = to_timestamp({hour * HOUR})")]

    def judge(self, hour, devices, what, most=0):
        """Once all is calm: the hour was released once and as a whole, and all that was acknowledged is counted once.

        - `most`: so many events at most may be lost, and are said to be."""
        self.house.drain([name for name, member in self.house.members.items() if member in self.alive])
        twice = self.house.postgres.sql(
            "select metric_id, period_start from throng.release group by 1, 2 having count(*) > 1")
        check(not twice, what, "released twice:", twice)
        found = self.released(hour)
        check(len(found) == 1, what, "the hour's release:", found)
        expected = self.by_hour[hour]
        check(expected - most <= found[0][0] <= expected and found[0][1] <= devices, what, "released", found, "of", expected,
              "events and", devices, "devices")
        counted = self.house.counted()
        check(self.acknowledged - most <= counted <= self.acknowledged, what, "counted", counted, "of", self.acknowledged)
        return found[0]

    def next_hour(self):
        self.hour -= 1
        return self.hour

    def explain(self):
        """What is known where something is wrong."""
        for name, member in self.house.members.items():
            say(name, member.id, "\n" + member.log_text()[-2500:])
        for query in ("select pid, state, wait_event, left(query, 150) from pg_stat_activity where datname = 'throng'",
                      "select daemon, until, until > now() from throng.lease",
                      "select daemon, position, settled, settled_at, advanced_at from throng.watermark"):
            for row in self.house.postgres.sql(query):
                say(*row)

    # What happens to a release.

    def held(self, how):
        """Whoever releases is held at a statement, and stands still, or is killed, there. Others don't release without it, because
        it may have acknowledged more; but a person may, and the one that comes back must not release once more."""
        place = self.chance.choice(list(PLACES))
        hour, devices = self.next_hour(), self.chance.randint(40, 80)
        until(self.holder, "nobody looks", seconds=300)
        hold = Hold(self.house, place, PLACES[place])
        self.post(hour, devices)
        process = hold.reached()
        member = self.holder()
        getattr(member, how)()
        hold.end()
        # As PostgreSQL does by itself after five minutes; where it does not, who comes back finishes its release.
        if ends := self.chance.random() < 0.7:
            self.house.postgres.sql(f"select pg_terminate_backend({process[0][0]})")
            hold.remove()
            began = time.monotonic()
            code, out, talk = daemon.run(
                "release", "--without", member.id, "--plan", member.plan, "--database", self.house.postgres.url)
            check(code == 0, "a person releases:", code, out, talk)
            check(len(self.released(hour)) == 1, "a person releases it:", self.released(hour))
            waited = time.monotonic() - began
        if how == "freeze":
            member.thaw()
        else:
            member.start()
        until(lambda: self.released(hour), "it is not released", seconds=300)
        hold.remove()
        until(self.holder, "nobody looks afterwards", seconds=300)
        time.sleep(3)
        if member.process.poll() is not None:
            member.start()
        # What comes late for the hour counts in the one that is open.
        known = self.by_hour[hour]
        self.post(hour, self.chance.randint(1, 5))
        self.by_hour[hour] = known
        count, reach = self.judge(hour, devices, f"{how} at {place}")
        say(f"  {how} at {place}, {f'a person released after {waited:.0f} s' if ends else 'it went on'}: {count} events, "
            f"{reach} devices at most in a window")

    def frozen(self):
        self.held("freeze")

    def killed(self):
        self.held("kill")

    def lost_before(self):
        """One has acknowledged what PostgreSQL lacks, and is gone for good: the release waits for it, until it is retired."""
        hour, devices = self.next_hour(), self.chance.randint(40, 80)
        lost = self.house.add("d")
        lost.settings["THRONG_TEST_SCHEDULE_SECONDS"] = "1"
        self.house.join("d")
        time.sleep(2 * ROTATION - time.time() % ROTATION + 8)
        # It flushes no more.
        pause = Hold(self.house, "watermark", "update")
        before = self.acknowledged
        pause.reached()
        self.post(hour, devices, [lost])
        lost.kill()
        killed = time.time()
        pause.end()
        pause.remove()
        time.sleep(self.chance.uniform(5, 20))
        check(not self.released(hour), "it waits for one that may have acknowledged more")
        since = self.retire("d", killed)
        until(lambda: self.released(hour), "it is not released once nobody is waited for", seconds=200)
        most = self.acknowledged - before
        count, _ = self.judge(hour, devices, "lost before", most=most)
        missing = self.acknowledged - self.house.counted()
        say(f"  lost before: released {count} of {most}; it says since {killed - since:.0f} s before")
        self.acknowledged -= missing

    def retire(self, name, killed):
        member = self.house.members.pop(name)
        self.house.daemon("leave", member.id, "--data-is-lost")
        line = self.house.listed()[member.id]
        check(line["lostSince"], "it may have lost something:", line)
        since = calendar.timegm(time.strptime(line["lostSince"], "%Y-%m-%dT%H:%M:%SZ"))
        check(since <= killed, "it says since when:", line["lostSince"], killed)
        member.clean()
        return since

    def joined_meanwhile(self):
        """One joins, and counts, while a release is held; another one leaves it again."""
        place = self.chance.choice(list(PLACES))
        hour, devices = self.next_hour(), self.chance.randint(40, 80)
        hold = Hold(self.house, place, PLACES[place])
        self.post(hour, devices)
        hold.reached()
        joined = self.house.add("e")
        self.house.join("e")
        hold.end()
        time.sleep(2 * ROTATION - time.time() % ROTATION + 8)
        # All hours since then are released with it: the next trial's is before it.
        self.hour -= 5
        self.post(self.hour, self.chance.randint(5, 20), [joined])
        hold.remove()
        until(lambda: self.released(hour), "it is not released", seconds=300)
        count, _ = self.judge(hour, devices, f"joined at {place}")
        self.house.daemon("leave", joined.id, "--within", "6")
        time.sleep(5 * ROTATION)
        left = self.house.members.pop("e")
        check(left.stop() == 0, "who has left stops gracefully")
        left.clean()
        say(f"  joined at {place}: released {count}")

    def half(self):
        """The control: a person releases without one that stands still, and has acknowledged what PostgreSQL lacks. That is seen."""
        hour, devices = self.next_hour(), self.chance.randint(40, 80)
        member = self.house["c"]
        pause = Hold(self.house, "watermark", "update")
        pause.reached()
        self.post(hour, devices, [self.house["a"], self.house["b"]])
        self.post(hour, devices, [member])
        member.freeze()
        # Its flush may be the one that is held: it goes with its session, and PostgreSQL has none of it.
        self.house.postgres.sql(
            "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and objid = 4242 and not granted")
        pause.end()
        pause.remove()
        self.house.drain("ab")
        check(not self.released(hour), "it waits for one that may have acknowledged more")
        code, out, talk = daemon.run(
            "release", "--without", member.id, "--plan", member.plan, "--database", self.house.postgres.url)
        check(code == 0 and self.released(hour), "a person releases:", code, out, talk)
        member.thaw()
        try:
            self.judge(hour, 2 * devices, "half")
        except daemon.Failure as failure:
            check("half released" in str(failure), "it is the release that lacks something:", failure)
            say("  a release of half of it is seen")
            return
        check(False, "a release of half of it is not seen")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("trials", nargs="?", type=int, default=10)
    parser.add_argument("seed", nargs="?", type=int, default=1)
    parser.add_argument("--only", choices=["frozen", "killed", "lost_before", "joined_meanwhile", "half"])
    options = parser.parse_args()
    chance = random.Random(options.seed)

    def run():
        trials = Trials(chance)
        kinds = [options.only] if options.only else ["frozen", "lost_before", "killed", "frozen", "joined_meanwhile"]
        for trial in range(options.trials):
            say(f"trial {trial + 1}")
            try:
                getattr(trials, kinds[trial % len(kinds)])()
            except daemon.Failure:
                trials.explain()
                raise
        trials.house.clean()

    daemon.main(run)


if __name__ == "__main__":
    main()
