"""Two daemons with real PostgreSQLs: one meets people who withdraw, and is killed again and again; its twin never meets them.

A trial is a day with a crowd of its own. What either holds of periods that are not released is the same, row by row, and so is
what both then release and report. In the end comes the control: where withdrawals miss a table, that is seen, in what is
counted and in what is released."""

import http.client
import json
import os
import random
import secrets
import threading
import time

import daemon
from daemon import check, say, until
from two_houses import ROTATIONS, SLOTS, Day, House
from long_house import DAY, HOUR, START

# What a withdrawal subtracts from, with its amount. The control keeps each from getting less.
TABLES = {"counter": "value", "distinct_count": "devices", "coverage": "events"}


class Killed:
    """The house of those who withdraw, which dies now and then. Row 1 of the faults and the simulator have it die at every place."""

    def __init__(self, house, chance):
        self.house, self.chance, self.deaths = house, chance, 0

    def look(self):
        """Whether it lives; if it died, it is started."""
        code = self.house.process.poll()
        if code is None:
            return True
        check(code == -9, "throng serve ended with", code, self.house.log_text()[-3000:])
        self.deaths += 1
        self.house.start()
        return False

    def may_die(self):
        if self.chance.random() < 0.02:
            self.house.kill()
            self.look()

    def persist(self, act):
        """Does something until it is acknowledged; sometimes the daemon is killed before or after."""
        for _ in range(60):
            try:
                self.may_die()
                status, _, body = act()
            except (OSError, http.client.HTTPException):
                self.look()
                time.sleep(0.05)
                continue
            if status == 202:
                self.may_die()
                return json.loads(body)
            check(status == 503, "answered", status, body)
            time.sleep(0.1)
        raise daemon.Failure("nothing is acknowledged\n" + self.house.log_text()[-3000:])

    def calm(self, what):
        """Does something that asks a living daemon, again where it died meanwhile."""
        for _ in range(20):
            self.look()
            try:
                return what()
            except (OSError, http.client.HTTPException):
                # It may be dying.
                time.sleep(0.2)
        raise daemon.Failure("nobody answers\n" + self.house.log_text()[-3000:])


def forged(killed, day):
    """What nobody may do by it: all of this changes nothing."""
    house, (staying, *_) = killed.house, [each for each in day.identifiers if not each.goes] or [day.identifiers[0]]
    window = house.clock.now() // DAY
    own = house.clock.now() // ROTATIONS[staying.purpose]
    other = "visit" if staying.purpose == "product" else "product"
    for purpose, number, name in (("product", window, secrets.token_hex(16)), (other, house.clock.now() // ROTATIONS[other], staying.name),
                                  (staying.purpose, own if own != staying.window else own + 1, staying.name)):
        known = killed.persist(lambda: house.withdraw(name, number, purpose))
        check(list(known) == ["receipt"] and len(known["receipt"]) == 32, "a stranger is told", known)

def meet(killed, twin, day):
    """Both meet the crowd, hour by hour, but the twin nobody who goes; how many batches came after their request."""
    house, asked, late = killed.house, {}, 0
    for slot in range(SLOTS):
        house.clock.move(day.at(slot))
        timer = None
        if killed.chance.random() < 0.4:
            timer = threading.Timer(killed.chance.uniform(0, 1.5), house.process.kill)
            timer.start()
        for each, batch in day.acts[slot]:
            if each is None:
                killed.calm(house.drain)
            elif batch is None:
                asked[each] = killed.persist(lambda: house.withdraw(each.name, each.window, each.purpose))["receipt"]
            else:
                body = json.dumps(batch)
                answer = killed.persist(lambda: house.post(body))
                if each in asked:
                    late += 1
                    check(answer["accepted"] == 0 and {one["reason"] for one in answer["refused"]} == {"opted_out"},
                          "who withdrew counts on:", answer)
                if not each.goes:
                    check(twin.post(body)[0] == 202, "the twin does not count")
        if timer:
            timer.join()
            killed.look()
        if slot == day.forged:
            forged(killed, day)
    check(set(asked) == set(day.going) and len(set(asked.values())) == len(asked), "receipts are", asked)
    again = [each for each in day.going if each.purpose == "product"][:1]
    for each in again:
        receipt = killed.persist(lambda: house.withdraw(each.name, each.window))["receipt"]
        check(receipt == asked[each], "a receipt changes")
        killed.persist(lambda: house.post(json.dumps(each.batches[0][1])))
    return late


def difference(found, expected):
    """By table what one has and the other has not; nothing where they are the same."""
    return {name: {"missing": [row for row in expected[name] if row not in found[name]][:4],
                   "more": [row for row in found[name] if row not in expected[name]][:4]}
            for name in expected if found[name] != expected[name]}


def compare(killed, twin, day, when, since=START, but=None, seconds=400):
    """What is counted is the same in both, within seconds, or a table is not; how many rows of each there are."""
    today = day.start // DAY * DAY
    twin.drain()
    killed.calm(killed.house.drain)
    expected = found = None

    def is_so():
        nonlocal expected, found
        killed.calm(killed.house.drain)
        expected = twin.rows(since, covered=today)
        found = difference(killed.house.rows(since, covered=today), expected)
        # What one table keeps may show in others, too.
        return not found if but is None else but in found
    until(is_so, when, "these differ:", lambda: found, seconds=seconds, pause=0.3)
    return {name: len(rows) for name, rows in expected.items()}


def end_visits(killed, twin, day):
    """The windows of an hour end: who was there is counted for good by what they did in it."""
    killed.house.clock.move(day.at(SLOTS + 2))
    for house in (killed.house, twin):
        until(lambda: killed.look() and house.has_no("visit"), "visits do not end", seconds=400)


def release(killed, twin, day):
    """The day ends with its grace: both release and report."""
    killed.house.clock.move(day.over)
    for house in (killed.house, twin):
        until(lambda: killed.look() and house.is_settled(), "nothing is released", seconds=400)
    since = day.start // DAY * DAY - 7 * DAY
    return killed.house.released(since), twin.released(since)


def trial(killed, twin, day):
    late = meet(killed, twin, day)
    rows = compare(killed, twin, day, "before the release")
    end_visits(killed, twin, day)
    compare(killed, twin, day, "after visits have ended")
    found, expected = release(killed, twin, day)
    check(found == expected, "what is released differs:", difference(found, expected))
    # Whoever asks now is too late for the day, and nothing changes: the twin does not hear of it.
    too_late = killed.chance.sample(day.staying, min(len(day.staying), killed.chance.choice([0, 0, 2])))
    for each in too_late:
        killed.persist(lambda: killed.house.withdraw(each.name, each.window))
    return {
        "identifiers": len(day.identifiers), "withdrew": len(day.going), "later batches": late, "too late": len(too_late),
        "rows": rows, "released": {name: len(rows) for name, rows in expected.items()}}


def control(killed, twin, day, table):
    """The same where one table keeps what is taken from it."""
    column = TABLES[table]
    killed.house.sql(f"""
        create function throng.hold() returns trigger language plpgsql as $$ begin return old; end $$;
        create trigger hold before update on throng.{table} for each row when (new.{column} < old.{column})
            execute function throng.hold()""")
    meet(killed, twin, day)
    compare(killed, twin, day, f"where nothing is taken from {table},", since=day.start // DAY * DAY, but=table)
    say(f"the control is seen: nothing is taken from {table}")
    killed.house.sql(f"drop trigger hold on throng.{table}; drop function throng.hold")


def test():
    seed = int(os.environ.get("THRONG_TEST_SEED", secrets.randbits(32)))
    trials, chance = int(os.environ.get("THRONG_TEST_TRIALS", "3")), random.Random(seed)
    say("seed", seed)
    house = House()
    killed = Killed(house, chance)
    house.start()
    twin = House(house).start()
    # Periods are there from the one on in which a calendar was first kept.
    for each in (house, twin):
        until(each.has_calendar, "no calendar is kept")
    published = 0
    for number in range(trials):
        # The first is sure to have something to release.
        kind = {"size": 40, "going": 10} if number == 0 else {}
        day = Day(chance, START + number * DAY + chance.randint(8, 23) * HOUR + 600, **kind)
        found = trial(killed, twin, day)
        published += found["released"]["published"]
        say(f"trial {number}, the same in both:", found)
    check(published, "no number was large enough to be released")
    say("deaths:", killed.deaths)
    check(killed.deaths, "the daemon of those who withdraw was never killed")
    for number, table in enumerate(TABLES, start=trials + 1):
        day = Day(chance, START + number * DAY + 10 * HOUR + 600, size=40, going=20)
        control(killed, twin, day, table)
        if table == "counter":
            end_visits(killed, twin, day)
            check("published" in difference(*release(killed, twin, day)), "counters that have too much are not seen in releases")
            say("and in what is released")
    check(house.stop() == 0 and twin.stop() == 0, "serve stops gracefully")
