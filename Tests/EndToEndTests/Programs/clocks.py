"""A daemon's clock that is two years ahead of its PostgreSQL's takes nothing from the ledger and adds nothing to it; one that is fifty
minutes behind lets nobody release what it still counts."""

import json
import sys
import time

import daemon
import shop
from daemon import check, say
from moving_clock import MovingClock

YEARS = 730 * 86400
HOUR = 3600


class World:
    def __init__(self, **more):
        text = shop.plan().replace("period: day", "period: hour").replace(
            daemon.duration(shop.ROTATION), "15 minutes").replace("audience: 1000", "audience: 1000, grace: 0 seconds")
        self.house = daemon.Daemon(text)
        self.clock = MovingClock(self.house.folder, time.time() - 50 * 60, is_believed=False)
        self.house.settings = {**self.clock.variables, "THRONG_SCHEDULE_SECONDS": "1", **more}
        self.house.start()

    def post(self):
        """Thirty devices, now by the clock of the moment."""
        now = self.clock.now()
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now))
        for number in range(30):
            batch = shop.batch(f"device {now} {number}", events=[{"event": "view", "at": at}])
            batch["window"] = now // 900
            status, _, answer = self.house.post(json.dumps(batch))
            check(status == 202, "intake goes on:", status, answer)
        self.house.drain()

    def cells(self):
        return int(self.house.sql("select count(*) from throng.released_cell")[0][0])

    def closed(self):
        return int(self.house.sql("select count(*) from throng.closed_period")[0][0])

    def wait(self, what, seconds=400):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if what():
                return True
            time.sleep(0.2)
        return False

    def is_doubted(self):
        return self.house.metrics()["throng_clock_doubted"] == 1

    def release(self):
        return self.clock.run("release", "--plan", self.house.plan, "--data", self.house.data)


def test():
    world = World()
    world.post()
    check(world.cells() == 0, "nothing is due yet")
    # Steps of less than an hour are believed, and end the hour.
    for minutes in (0, 50):
        world.clock.move(time.time() + minutes * 60)
        time.sleep(3)
    check(world.wait(lambda: world.cells() > 0), "the hour is released")
    before = world.cells(), world.closed()

    world.clock.move(time.time() + YEARS)
    check(world.wait(world.is_doubted), "two years are a jump")
    # A second hour may have been due just before.
    time.sleep(3)
    cells, closed = world.cells(), world.closed()
    check(cells >= before[0] and closed - before[1] <= 1, "a jump takes nothing:", before, cells, closed)
    check(world.house.get("/readyz")[0] == 200, "the daemon is ready all the same")
    world.post()
    time.sleep(15)
    check(world.cells() == cells, "15 s two years ahead take nothing")
    check(world.closed() == closed, "and release nothing")
    said = world.house.log_text().count("the time of day is not believed")
    check(1 <= said <= 2, "the log says so, and once a minute is enough:", said)
    code, _, talk = world.release()
    check(code == 1, "nothing is released by hand, either:", talk)
    for ahead in (0, YEARS):
        check(time.strftime("%Y-%m-%dT", time.gmtime(time.time() + ahead)) in talk, "both times are named:", talk)
    date = time.strftime("%Y-%m-%d", time.gmtime(world.clock.now()))
    for word in (date, "2001-01-01"):
        code, _, talk = world.clock.run("clock", "confirm", word, "--data", world.house.data)
        check(code == 1, "PostgreSQL knows better than this word:", talk)
    check(world.clock.run("clock", "--data", world.house.data)[0] == 2, "throng clock says so, too")
    check(world.house.stop() == 0, "serve stops gracefully")
    world.house.start()
    check(world.wait(world.is_doubted), "a start two years ahead is believed as little")
    time.sleep(5)
    check(world.cells() == cells, "and takes nothing")

    world.clock.move(time.time() + 10 * 60)
    check(world.wait(lambda: not world.is_doubted()), "a clock that is right again needs nobody's word")
    world.post()
    check(world.cells() >= cells, "all goes on")
    check(world.clock.run("clock", "--data", world.house.data)[0] == 0, "throng clock says so")
    check(world.house.stop() == 0, "serve stops gracefully")
    world.house.start()
    check("behind the latest time that was believed" not in world.house.log_text(), "what nobody believed is no mark")
    check(world.house.stop() == 0, "serve stops gracefully")
    behind()


def behind():
    """Windows are over by PostgreSQL's clock, and open by that of a daemon fifty minutes behind: how often devices came is counted
    when they end, and a release by somebody whose clock is right waits for it."""
    text = shop.plan().replace("period: day", "period: hour").replace(
        daemon.duration(shop.ROTATION), "15 minutes").replace("audience: 1000", "audience: 1000, grace: 1 hour")
    often = text[text.index("  visits:"):].replace("visits:", "often:").replace("[visit]", "[view]").replace("[channel]", "[os]").replace(
        "marketing", "product").replace("reach: true", "frequency: {bands: [1, 2, 4]}")
    house = daemon.Daemon(text + often)
    clock = MovingClock(house.folder, time.time() - 50 * 60, is_believed=False)
    house.settings = {**clock.variables, "THRONG_SCHEDULE_SECONDS": "3600"}
    house.start()
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 3 * HOUR))
    for number in range(30):
        batch = shop.batch(f"device {number}", events=[{"event": "view", "at": at}] * 2)
        status, _, answer = house.post(json.dumps({**batch, "window": clock.now() // 900}))
        check(status == 202 and json.loads(answer)["accepted"] == 2, "counted:", status, answer)

    def release():
        return daemon.run("release", "--ignore-grace", "--plan", house.plan, "--data", house.data)

    released = """select sum(c.count) from throng.release as r join throng.released_cell as c using (release_id)
        where r.metric = 'often' and c.margin = 0"""
    code, _, talk = release()
    check(code == 1 and "Waiting" in talk, "it waits for what the daemon counts once windows end:", code, talk)
    check(house.sql(released) == [[None]], "nothing of it is released")
    clock.move(time.time())
    deadline = time.monotonic() + 400
    while release()[0] and time.monotonic() < deadline:
        time.sleep(1)
    check(house.sql(released) == [["30"]], "how often all thirty came:", house.sql(released))
    check(house.stop() == 0, "serve stops gracefully")


def control():
    """Without the mend the ledger is gone in seconds."""
    world = World(THRONG_FAULT="trust_clock")
    world.post()
    world.clock.move(time.time() + 3 * HOUR)
    check(world.wait(lambda: world.cells() > 0), "the hour is released")
    world.clock.move(time.time() + YEARS)
    check(world.wait(lambda: world.cells() == 0), "and taken")


if __name__ == "__main__":
    daemon.main(control if "--control" in sys.argv else test)
