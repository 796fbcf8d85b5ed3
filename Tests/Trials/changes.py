"""What operators do to several daemons of one PostgreSQL while clients send: a fourth joins, one leaves, all are restarted one by
one, one is lost with its data; and releases by hand while one is slow, frozen or cut off from PostgreSQL.

Usage: see Deploy/trial
"""

import argparse
import calendar
import json
import os
import random
import socket
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../EndToEndTests/Programs/Support"))

import daemon  # noqa: E402
import daemons  # noqa: E402
import fleet  # noqa: E402
import shop  # noqa: E402
from daemon import check, say  # noqa: E402
from moving_clock import MovingClock  # noqa: E402

ROTATION = 60


def boundary():
    """Until a window has begun that was opened to clients after now."""
    time.sleep(2 * ROTATION - time.time() % ROTATION + 1)


def three(apart, **settings):
    """A fleet of three daemons that count a third each, also what is open now. Their clocks are up to so many seconds apart from
    PostgreSQL's and the clients'."""
    house = fleet.Fleet(daemons.plan(), names="abc")
    for name in "abc":
        house[name].settings.update(settings)
        set_clock(house[name], apart)
        house[name].start()
        if name != "a":
            house.join(name, within=6 + 2 * apart)
    time.sleep(2 * apart)
    boundary()
    return house


def set_clock(member, apart):
    if apart:
        ahead = random.choice([-apart, apart, random.randint(-apart, apart)])
        member.settings.update(MovingClock(member.folder, time.time() + ahead, is_believed=False).variables)
        say(f"  the clock of {member.name} is {ahead} s ahead")


class FewClients(daemons.Clients):
    """A few devices send most batches, and many send one in a window."""

    def device(self, chance):
        # The busiest stay within the plan's bound: what is beyond it would be refused.
        return min(int(chance.paretovariate(0.5) * 5), 10**6)


# Who counts changes, under load.

def exact(house, clients, what):
    found, lost, doubled, wrong = daemons.judge(house, clients)
    say(f"  {what}: acknowledged {clients.events:,}, never answered {len(clients.unsure)}, counted {found:,}, "
        f"{sum(map(len, clients.seen.values())):,} identifiers; sent again: {dict(clients.retries)}")
    check(not lost and not doubled and not wrong, what, "lost", lost, "doubled", doubled, "wrong", wrong)


def changed(options, chance):
    """A fourth joins, one leaves, all are restarted one by one; then one is lost with its data."""
    house = three(options.apart)
    crowd = FewClients if options.heavy else daemons.Clients
    clients = crowd(
        lambda: [("127.0.0.1", house[name].port) for name in house.members], ROTATION, f"changes {options.seed}", devices=200,
        threads=12)
    with clients:
        time.sleep(3)
        house.members["d"] = fleet.Member(house, "d")
        set_clock(house["d"], options.apart)
        house["d"].start()
        # Whose clock is ahead agrees to nothing that has begun by it.
        notice = 10 + 2 * options.apart
        house.join("d", within=notice)
        time.sleep(notice)
        boundary()
        check(house.listed()[house["d"].id]["slots"] == 64, "four count a quarter each:", house.listed())
        gone = chance.choice("abc")
        house.daemon("leave", house[gone].id, "--within", str(notice))
        time.sleep(notice)
        boundary()
        time.sleep(2 * ROTATION)
        check(house.listed()[house[gone].id]["slots"] == 0, gone, "counts no more:", house.listed())
        left = house.members.pop(gone)
        check(left.stop() == 0, "who has left stops gracefully")
        # Upgraded one by one, and back: the newer one migrates the database, and the older one goes on with it.
        for program, fault in options.versions:
            daemon.BINARY = program
            for name in house.members:
                check(house[name].stop() == 0, "serve stops gracefully")
                house[name].settings.pop("THRONG_FAULT", None)
                if fault:
                    house[name].settings["THRONG_FAULT"] = fault
                house[name].start()
                time.sleep(chance.uniform(0, 5))
            schema = house.postgres.sql("select version, name from throng.migration order by version desc limit 1")[0]
            check(options.former or schema[1] == "tomorrow.sql", "the database is the next version's:", schema)
            say(f"  all run {os.path.basename(program)}{' with ' + fault if fault else ''}, the schema is {schema[0]}")
    exact(house, clients, f"d joined, {gone} left, the others were upgraded one by one, and back")
    left.clean()

    # One is lost, with what it acknowledged and PostgreSQL does not have.
    before = house.counted()
    truth = {window: set(who) for window, who in clients.seen.items()}
    later = crowd(
        lambda: [("127.0.0.1", house[name].port) for name in house.members], ROTATION, f"later {options.seed}", devices=200,
        threads=12)
    with later:
        time.sleep(chance.uniform(5, 60))
        name = chance.choice(list(house.members))
        gone = house.members.pop(name)
        identifier, killed = gone.id, time.time()
        gone.kill()
        time.sleep(chance.uniform(0, 3))
        house.daemon("leave", identifier, "--data-is-lost")
        time.sleep(chance.uniform(5, 60))
    house.drain(list(house.members))
    found = house.counted() - before
    most = later.events + sum(each[0] for each in later.unsure)
    check(found <= most, "no event counts twice:", found, "of", most)
    for window, who in later.seen.items():
        truth.setdefault(window, set()).update(who)
    for _, window, who in clients.unsure + later.unsure:
        truth.setdefault(window, set()).add(who)
    for window, devices in house.devices().items():
        check(devices <= len(truth.get(window % 2**40, ())), "no more devices than there are in", window)
    since = house.listed()[identifier]["lostSince"]
    started = calendar.timegm(time.strptime(since, "%Y-%m-%dT%H:%M:%SZ"))
    check(killed - 150 <= started <= killed, "it says since when:", since, "killed at", killed)
    say(f"  {name} was lost: counted {found:,} of {later.events:,} acknowledged; it says since {killed - started:.0f} s before")
    house.clean()


# Releases.

class Cut:
    """A way to a PostgreSQL that can be cut: what was sent is not delivered any more, and nobody hears of it."""

    def __init__(self, folder, target):
        self.target, self.is_cut, self.folder = target, False, folder
        os.mkdir(folder, 0o755)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(folder + "/.s.PGSQL.5432")
        os.chmod(folder + "/.s.PGSQL.5432", 0o777)
        self.listener.listen(64)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            one = self.listener.accept()[0]
            other = socket.socket(socket.AF_UNIX)
            try:
                other.connect(self.target + "/.s.PGSQL.5432")
            except OSError:
                one.close()
                continue
            for source, sink in ((one, other), (other, one)):
                threading.Thread(target=self.hand_on, args=(source, sink), daemon=True).start()

    def hand_on(self, source, sink):
        try:
            while data := source.recv(65536):
                while self.is_cut:
                    time.sleep(0.02)
                sink.sendall(data)
        except OSError:
            pass
        for each in (source, sink):
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class Slow:
    """A daemon that runs one millisecond of twenty."""

    def __init__(self, member):
        self.member, self.is_over = member, False
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        while not self.is_over:
            self.member.freeze()
            time.sleep(0.19)
            self.member.thaw()
            time.sleep(0.01)

    def stop(self):
        self.is_over = True
        self.thread.join()


def waited_for(kind, chance):
    """One of three is slow, frozen or cut off while a day is released by hand: all of it is there, or nothing and for whom it waits."""
    house = fleet.Fleet(daemons.plan(), names="abc")
    cut = Cut(house.folder + "/cut", house.postgres.folder)
    for name in "abc":
        member = house[name]
        member.settings["THRONG_FLUSH_SECONDS"] = "20"
        if name == "c":
            member.database = cut.folder
        member.start()
        if name != "a":
            house.join(name)
    boundary()
    devices = 90
    at = time.strftime("%Y-%m-%dT12:00:00Z", time.gmtime(time.time() - 86400))
    for number in range(devices):
        body = json.dumps({
            **shop.batch(f"{kind} {number}", events=[{"event": "view", "at": at, "fields": {"channel": "email"}}]),
            "window": int(time.time()) // ROTATION})
        answer = None
        while answer is None:
            status, _, text = house[chance.choice("abc")].post(body)
            check(status in (202, 503), "posted:", status, text)
            answer = text if status == 202 else None
        check(json.loads(answer)["accepted"] == 1, "counted:", answer)
    where = ["--plan", house["a"].plan, "--database", house.postgres.url]
    slow = None
    if kind == "slow":
        slow = Slow(house["c"])
    elif kind == "frozen":
        house["c"].freeze()
    else:
        cut.is_cut = True
    began = time.monotonic()
    code, out, talk = daemon.run("release", "--ignore-grace", *where)
    waited = time.monotonic() - began

    def released():
        return [
            [int(value) for value in row] for row in house.postgres.sql(
                "select c.count, c.reach from throng.released_cell as c join throng.release as r using (release_id)"
                f" where r.metric = 'views' and c.margin = 0 and r.period_start = '{at[:10]} 00:00:00+00'")]

    first = released()
    if kind == "slow":
        check(code in (0, 1), "released, or not:", code, talk)
        slow.stop()
    else:
        check(code == 1 and house["c"].id in talk, "it says for whom it waits:", code, talk)
    if code == 1:
        check(not first, "nothing of it is there:", first)
        check(not house.postgres.sql("select 1 from throng.release where metric = 'views'"), "never half")
    house["c"].thaw()
    cut.is_cut = False
    deadline = time.monotonic() + 120
    while code and time.monotonic() < deadline:
        code, out, talk = daemon.run("release", "--ignore-grace", *where)
        check(code in (0, 1), "released, or not:", code, talk)
    check(code == 0, "released once it is back:", talk)
    check(released() == [[devices, devices]], "all that was acknowledged is in it:", released(), devices)
    say(f"  {kind}: the first try ended after {waited:.0f} s with {'all of it' if first else 'nothing, and for whom it waits'}; "
        "then all of it")
    house.clean()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("trials", nargs="?", type=int, default=3)
    parser.add_argument("seed", nargs="?", type=int, default=1)
    parser.add_argument("--only", choices=["changes", "releases"])
    parser.add_argument("--heavy", action="store_true", help="a few devices send most batches")
    parser.add_argument("--former", metavar="PROGRAM", help="the throng to begin with, to upgrade from and to go back to")
    parser.add_argument("--apart", type=int, default=0, help="by how many seconds daemons' clocks differ from the others'")
    options = parser.parse_args()
    chance = random.Random(options.seed)
    random.seed(options.seed)
    this = daemon.BINARY
    # Which programs all run in turn, after the one that they began with.
    options.versions = [(this, "know_tomorrow"), (this, None)]
    if options.former:
        options.versions = [(this, None), (options.former, None), (this, None)]

    def run():
        for trial in range(options.trials):
            say(f"trial {trial + 1}")
            daemon.BINARY = options.former or this
            if options.only != "releases":
                changed(options, chance)
            if options.only != "changes":
                daemon.BINARY = this
                for kind in ("slow", "frozen", "cut off"):
                    waited_for(kind, chance)
            options.seed += 1

    daemon.main(run)


if __name__ == "__main__":
    main()
