"""Three daemons of one PostgreSQL, beside a daemon alone: both meet the same crowds on one clock, with one secret, and some of them
withdraw. Of the three one is killed now and then, and whoever asks reaches any of them; and one is away while the day's windows end, so that
what is due waits for what it counted of them. Counts, sums, numbers of devices by window, funnels, frequencies, rollups, and what is
then released, withheld and reported are the same.

Usage: several.py [--trials N] [--seed N]
"""

import argparse
import http.client
import json
import os
import random
import secrets
import time

import daemon
import twins
from daemon import check, say
from twins import SLOTS, Day
from withdrawn import difference
from year import DAY, HOUR, START, wait


class House(twins.House):
    """One that delivers reports to a folder outside; two of them may deliver the same."""

    def __init__(self, first=None, folder=None):
        super().__init__(first)
        self.reports = first.reports if first else os.path.join(self.folder, "reports")
        os.makedirs(self.reports, exist_ok=True)
        with open(self.plan) as file:
            text = file.read()
        with open(self.plan, "w") as file:
            file.write(text.replace("{folder: out}", "{folder: %s}" % self.reports))


class Member(House):
    """One of the three; the first has the PostgreSQL."""

    def __init__(self, first=None):
        super().__init__(first)
        self.first, self.member_port = first or self, daemon.free_ports(1)[0]

    @property
    def database(self):
        return f"host={self.first.data}/postgres user=postgres dbname=throng"

    def arguments(self):
        where = ["--database", self.database] if self.first is not self else []
        return super().arguments() + where + ["--members", f"127.0.0.1:{self.member_port}"]

    def sql(self, query, database="throng"):
        return super().sql(query, database) if self.first is self else self.first.sql(query, database)

    @property
    def id(self):
        with open(os.path.join(self.data, "daemon.id")) as file:
            return file.readlines()[1].strip().lower()


class Three:
    def __init__(self, chance):
        self.chance = chance
        first = Member()
        self.members = [first.start()]
        for _ in range(2):
            self.members.append(Member(first).start())
            code, out, said = daemon.run("daemon", "join", self.members[-1].id, "--within", "20", "--database", first.database)
            check(code == 0, "throng daemon join:", out, said)
        # PostgreSQL's own clock is not moved: the three have always counted, by the clock of the crowds.
        first.sql(f"update throng.epoch set begins_at = to_timestamp({START - 9 * DAY} + epoch) where epoch > 1")
        self.first = first

    def any(self):
        return self.chance.choice(self.members)

    def persist(self, act):
        """Does something at any of them until it is acknowledged; now and then one is killed before."""
        deadline = time.monotonic() + 400
        while time.monotonic() < deadline:
            if self.chance.random() < 0.003:
                member = self.any()
                if member is not self.first:
                    member.kill()
                    member.start()
            try:
                status, _, body = act(self.any())
            except (OSError, http.client.HTTPException):
                continue
            if status == 202:
                return json.loads(body)
            check(status == 503, "answered", status, body)
            time.sleep(0.05)
        raise daemon.Failure("nothing is acknowledged")

    def drain(self):
        for member in self.members:
            member.drain()


def rows(house, since):
    """What is counted of periods since an instant, whichever daemon counted it.
    What is refused because somebody withdrew is not kept through a kill."""
    named = "join throng.metric_layout as l on l.metric_id = t.metric_id"
    recent = f"where t.period_start >= to_timestamp({since})"
    return {
        "counter": house.sql(f"""select l.layout ->> 'metric', t.period_kind, t.period_start, t.measure, t.cell, sum(t.value)
            from throng.counter as t {named} {recent} group by 1, 2, 3, 4, 5 having sum(t.value) <> 0 order by 1, 2, 3, 4, 5"""),
        "distinct_count": house.sql(f"""select l.layout ->> 'metric', t.period_start, t.margin, t.cell, t.window_number,
            sum(t.devices) from throng.distinct_count as t {named} {recent} group by 1, 2, 3, 4, 5
            having sum(t.devices) <> 0 order by 1, 2, 3, 4, 5"""),
        "coverage": house.sql(f"""select hour, kind, sum(events) from throng.coverage where hour >= to_timestamp({since})
            and kind <> 'opted_out' group by 1, 2 order by 1, 2"""),
    }


def compare(three, alone, since, when, seconds=400):
    alone.drain()
    three.drain()
    deadline = time.monotonic() + seconds
    while True:
        three.drain()
        expected = rows(alone, since)
        if not (found := difference(rows(three.first, since), expected)):
            return {name: len(each) for name, each in expected.items()}
        check(time.monotonic() < deadline, when, "these differ:", found)
        time.sleep(0.3)


def end_without(three, alone, day, how):
    """One is away from before windows end until after the day is due: nothing is released before it has counted what they came to."""
    absent = three.chance.choice(three.members[1:])
    three.drain()
    if how == "stopped":
        check(absent.stop() == 0, "serve stops gracefully")
    else:
        absent.kill()
    alone.clock.move(day.over)
    wait(alone.is_settled, "nothing is released", seconds=400)
    wait(lambda: [line for line in three.first.log_text().split("\n") if "releases wait for a daemon" in line and absent.id in line],
         "it does not say for whom it waits", seconds=400)
    check(not three.first.is_settled(), "a day is released without what", absent.id, "counts when windows end")
    absent.start()


def meet(three, alone, day):
    for slot in range(SLOTS):
        alone.clock.move(day.at(slot))
        for each, batch in day.acts[slot]:
            if each is None:
                three.drain()
            elif batch is None:
                three.persist(lambda member: member.withdraw(each.name, each.window, each.purpose))
                check(alone.withdraw(each.name, each.window, each.purpose)[0] == 202, "the one alone takes nobody out")
            else:
                body = json.dumps(batch)
                answer = three.persist(lambda member: member.post(body))
                check(json.loads(alone.post(body)[2]) == answer, "they answer otherwise:", answer)


def trial(three, alone, day, how):
    meet(three, alone, day)
    since = day.start // DAY * DAY
    counted = compare(three, alone, since, "before windows end")
    if how:
        end_without(three, alone, day, how)
    else:
        alone.clock.move(day.at(SLOTS + 2))
        for house in (*three.members, alone):
            wait(lambda: house.has_no("visit"), "visits do not end", seconds=400)
        counted = compare(three, alone, since, "after visits have ended")
        alone.clock.move(day.over)
    for house in (three.first, alone):
        wait(house.is_settled, "nothing is released", seconds=400)
    found, expected = (house.released(since - 7 * DAY) for house in (three.first, alone))
    check(found == expected, "what is released differs:", difference(found, expected))
    return counted, {name: len(each) for name, each in expected.items()}


def control(three, alone, day):
    """Where PostgreSQL is not told that one that stops owes it something, a day is released without."""
    meet(three, alone, day)
    absent = three.chance.choice(three.members[1:])
    three.drain()
    check(absent.stop() == 0, "serve stops gracefully")
    three.first.sql("update throng.watermark set settled = 9223372036854775807 where settled > 4611686018427387904")
    alone.clock.move(day.over)
    for house in (three.first, alone):
        wait(house.is_settled, "nothing is released", seconds=400)
    absent.start()
    since = day.start // DAY * DAY
    # It counts in the next day.
    wait(lambda: not three.drain() and "counter" in difference(rows(three.first, since), rows(alone, since)),
         "a day is released without what one owed, and that is not seen", seconds=400)
    say("the control is seen: a day is released without what one owed")


def test():
    parser = argparse.ArgumentParser()
    parser.add_argument("--trials", type=int, default=3)
    parser.add_argument("--seed", type=int, default=secrets.randbits(32))
    words = parser.parse_args()
    chance = random.Random(words.seed)
    say("seed", words.seed)
    three = Three(chance)
    alone = House(three.first).start()
    for each in (three.first, alone):
        wait(each.has_calendar, "no calendar is kept")
    published = 0
    for number in range(words.trials):
        size = chance.choice([25, 40, 60, 90])
        day = Day(chance, START + number * DAY + chance.randint(8, 20) * HOUR + 600, size=size, going=chance.choice([1, size // 4]))
        how = ["stopped", "killed", None][number % 3]
        counted, released = trial(three, alone, day, how)
        published += released["published"]
        say(f"trial {number}, {f'one {how}, ' if how else ''}the same in both:", counted, released)
    shards = three.first.sql("select count(distinct shard) from throng.counter")
    check(shards == [["3"]], "each has counted:", shards)
    check(published, "no number was large enough to be released")
    control(three, alone, Day(chance, START + words.trials * DAY + 10 * HOUR + 600, size=90, going=1))
    for house in (*three.members[::-1], alone):
        check(house.stop() == 0, "serve stops gracefully")


if __name__ == "__main__":
    daemon.main(test)
