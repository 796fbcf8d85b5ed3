"""The next time of a schedule is the one that PyPI's croniter finds on the wall clock, for 20,000 random schedules at
random instants in zones with and without summer time, half of them beside a change of the clock.

croniter is asked about wall clocks that never change; Python's zoneinfo says when a clock showed that. What a change skips
counts at the first instant after the gap; what it repeats counts once, the first time."""

import datetime
import os
import random
import subprocess
import sys
import zoneinfo

import daemon
from daemon import check, say

sys.path.insert(0, os.path.join(daemon.ROOT, ".build", "croniter"))
import croniter  # noqa: E402

SCHEDULES = int(os.environ.get("THRONG_TEST_SCHEDULES", "20000"))
SEED = int(os.environ.get("THRONG_TEST_SEED", "20261122"))
ZONES = [zoneinfo.ZoneInfo(name) for name in (
    "UTC", "Europe/Berlin", "Europe/London", "America/New_York", "America/Santiago", "Australia/Lord_Howe",
    "Asia/Beirut", "Asia/Kathmandu", "Pacific/Auckland", "America/St_Johns", "Atlantic/Azores", "Asia/Tokyo")]
FIRST, LAST = 1451606400, 1893456000
MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
DAYS = "sun mon tue wed thu fri sat".split()


def field(chance, low, high, names=(), offset=0):
    """A field's text: everything, numbers, names, ranges, lists, steps."""
    def number():
        value = chance.randint(low, high)
        if names and chance.random() < 0.3 and value - offset < len(names):
            return value, names[value - offset]
        return value, str(value)

    def part():
        kind = chance.random()
        if kind < 0.5:
            return number()[1]
        if kind < 0.7:
            return f"*/{chance.randint(1, max(2, (high - low) // 2))}"
        first, last = sorted(chance.sample(range(low, high + 1), 2))
        step = f"/{chance.randint(1, max(1, last - first))}" if chance.random() < 0.4 else ""
        return f"{first}-{last}{step}"

    if chance.random() < 0.35:
        return "*"
    return ",".join(part() for _ in range(chance.choice((1, 1, 1, 2, 3))))


def schedule(chance):
    return " ".join((
        field(chance, 0, 59), field(chance, 0, 23), field(chance, 1, 31) if chance.random() < 0.5 else "*",
        field(chance, 1, 12, MONTHS, 1) if chance.random() < 0.3 else "*",
        field(chance, 0, 6, DAYS) if chance.random() < 0.4 else "*"))


def is_everything(text):
    """Whether a field of days is a list that leaves no day out, such as 0-5,6: Throng takes it as *, as it says, and
    croniter as a list that happens to hold all days, which matters where the other kind of day is restricted."""
    try:
        expanded = croniter.croniter.expand(text)[0]
    except croniter.CroniterBadDateError:
        return False
    return any(values != ["*"] and len(set(values)) == size for values, size in ((expanded[2], 31), (expanded[4], 7)))


def offset(zone, instant):
    return datetime.datetime.fromtimestamp(instant, zone).utcoffset()


def changes(zone):
    """The instants at which a zone's clock changes, by looking at every hour of every day on which it does."""
    found = []
    before = offset(zone, FIRST)
    for day in range(FIRST, LAST, 86400):
        after = offset(zone, day + 86400)
        if after != before:
            low, high = day, day + 86400
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if offset(zone, middle) == before else (low, middle)
            found.append(high)
        before = after
    return found


def instant_of(wall, zone):
    """When a clock of the zone first showed a time, or the end of the gap that skipped it."""
    shown = wall.replace(tzinfo=zone, fold=0)
    instant = shown.timestamp()
    if datetime.datetime.fromtimestamp(instant, zone).replace(tzinfo=None) == wall:
        return int(instant)
    # With fold 0 a skipped time is read by the offset from before the gap: its instant lies behind the gap, as far as
    # the time lies behind the gap's beginning.
    low, high = int(instant) - 3 * 3600, int(instant)
    while high - low > 1:
        middle = (low + high) // 2
        clock = datetime.datetime.fromtimestamp(middle, zone).replace(tzinfo=None)
        low, high = (middle, high) if clock < wall else (low, middle)
    return high


def expected(text, zone, after):
    wall = datetime.datetime.fromtimestamp(after, zone).replace(tzinfo=None)
    if offset(zone, after - 86400) != offset(zone, after + 86400):
        wall -= datetime.timedelta(hours=4)
    times = croniter.croniter(text, wall, max_years_between_matches=12)
    while True:
        instant = instant_of(times.get_next(datetime.datetime), zone)
        if instant > after:
            return instant


def test():
    chance = random.Random(SEED)
    beside = {zone.key: changes(zone) for zone in ZONES}
    questions = []
    wanted = []
    refused = 0
    while len(questions) < SCHEDULES * 2:
        text = schedule(chance)
        if is_everything(text):
            continue
        for place in range(2):
            zone = chance.choice(ZONES)
            near = beside[zone.key]
            after = chance.randint(FIRST, LAST - 86400 * 365)
            if place and near:
                after = chance.choice(near) + chance.randint(-7200, 7200) - chance.choice((0, 0, 86400))
            try:
                wanted.append(str(expected(text, zone, after)))
            except croniter.CroniterBadDateError:
                # 30 February: both refuse it.
                wanted.append("refused")
                refused += 1
            questions.append(f"{text}|{zone.key}|{after}")
    say(f"croniter has answered {len(questions):,} questions")
    probe = os.path.join(os.path.dirname(daemon.BINARY), "Probe")
    done = subprocess.run([probe, "cron"], input="\n".join(questions) + "\n", capture_output=True, text=True, timeout=1200)
    check(done.returncode == 0, done.stderr)
    found = done.stdout.split()
    check(len(found) == len(wanted), "so many answers:", len(found))
    wrong = [each for each in zip(questions, wanted, found) if each[1] != each[2]]
    check(not wrong, f"{len(wrong):,} differ:", *("\n  %s: croniter %s, Throng %s" % each for each in wrong[:10]))
    say(f"{len(found):,} equal, {refused:,} of them refused by both")


if __name__ == "__main__":
    daemon.main(test)
