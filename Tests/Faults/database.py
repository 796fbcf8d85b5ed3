"""Row 5: PostgreSQL is away longer than the journal has room, dies, ends sessions, refuses, deadlocks, or is cut off beside a
COMMIT. Totals are exact, and everything drains by itself."""

import contextlib
import os
import signal
import subprocess
import time

import daemon

from clients import Crowd
from house import House, Postgres, check
from oracle import judge
from proxy import Proxy
from rows import Control, Row
from sites import no_watermark

PAUSE = 0.01
SMALL = {"THRONG_JOURNAL_CAP_BYTES": str(1 << 20), "THRONG_TEST_JOURNAL_SEGMENT_BYTES": str(1 << 16)}


class Server(Postgres):
    def __init__(self):
        super().__init__(durable=True, settings="deadlock_timeout = '100ms'\nwal_writer_delay = '10s'\n")

    def kill(self):
        """kill -9 of the postmaster, and of its children at the same moment, as when the kernel is short of memory."""
        postmaster, *children = self.processes()
        check(os.readlink(f"/proc/{postmaster}/cwd") == os.path.realpath(self.data), "that is another server")
        os.kill(postmaster, signal.SIGKILL)
        for child in children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        while any(os.path.exists(f"/proc/{each}") for each in [postmaster, *children]):
            time.sleep(0.02)

    def start(self):
        for attempt in range(20):
            try:
                return super().start()
            except daemon.Failure:
                # A predecessor that was killed may not have let go of everything yet.
                check(attempt < 19, "PostgreSQL does not start")
                time.sleep(0.25)


def behind(house):
    """The house reaches PostgreSQL through this."""
    proxy = Proxy(house.postgres.folder)
    house.address = proxy.address(house.database)
    return proxy


def failures(house):
    return house.metrics()["throng_flush_failures_total"]


def outage(server, house, crowd, tally, chance):
    """PostgreSQL stops until the journal is full: clients are told when to come again, and nothing is dropped."""
    house.settings.update(SMALL)
    house.restart()
    crowd.start(clients=3)
    time.sleep(chance.uniform(0.1, 1))
    server.stop(chance.choice(["fast", "immediate"]))
    house.until("503", lambda: crowd.answers[503] > 5, 120)
    crowd.stop()
    status, headers, body = house.post(crowd.body(crowd.new()))
    check(status == 503 and int(headers["retry-after"]) > 0, "past the cap:", status, headers, body)
    check(house.get("/readyz")[0] == 503 and house.get("/healthz")[0] == 200, "a full journal is not ready, and alive")
    if chance.random() < 0.3:
        # A full journal survives a crash, without PostgreSQL too.
        house.kill()
        house.restart()
    server.start()
    house.await_place(90)
    house.until("the end of the lag", lambda: house.lag() == 0, 90)


def killed(server, house, crowd, tally, chance):
    """kill -9 of PostgreSQL under load, twice."""
    house.restart()
    crowd.start(pause=PAUSE)
    for _ in range(2):
        time.sleep(chance.uniform(0.3, 1.5))
        server.kill()
        server.start()
    house.until("a failure", lambda: failures(house) > 0)
    crowd.stop()


def backends_killed(server, house, crowd, tally, chance):
    """pg_terminate_backend whenever a flush is under way."""
    house.restart()
    crowd.start(pause=PAUSE)
    ended = 0
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline and ended < 8:
        ended += len(server.sql(f"""
            select pg_terminate_backend(pid) from pg_stat_activity
            where datname = '{house.database}' and backend_type = 'client backend'
                and (state <> 'idle' or random() < {chance.uniform(0, 0.2)})""", "postgres"))
        time.sleep(0.02)
    house.until("a failure", lambda: failures(house) > 0)
    crowd.stop()


def refusals(server, house, crowd, tally, chance):
    """Serialization failures and deadlocks, raised where the flush writes, now and then."""
    state = chance.choice(["40001", "40P01", "57014", "53200"])
    table = chance.choice(["watermark", "counter", "distinct_count"])
    house.restart()
    house.sql(f"""
        create function throng.refuse() returns trigger language plpgsql as
            $$ begin if random() < 0.5 then raise exception 'now and then' using errcode = '{state}'; end if; return null; end $$;
        create trigger refuse after insert or update on throng.{table}
            for each statement execute function throng.refuse()""")
    crowd.start(pause=PAUSE)
    house.until("a failure", lambda: failures(house) > 1)
    crowd.stop()
    house.sql(f"drop trigger refuse on throng.{table}")


def deadlock(server, house, crowd, tally, chance):
    """Another session takes the same rows in the other order; PostgreSQL ends the flush."""
    house.restart()
    crowd.run(clients=1, pause=PAUSE, most=20)
    house.until("a flush", lambda: house.sql("select 1 from throng.distinct_count where margin = 0"))
    # A flush that takes its time between its two locks, so that it is the one that closes the circle and notices.
    house.sql("""
        create function throng.dawdle() returns trigger language plpgsql as
            $$ begin perform pg_sleep(5); return null; end $$;
        create trigger dawdle before insert on throng.counter for each statement execute function throng.dawdle()""")
    other = subprocess.Popen(["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", server.at(house.database)],
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    other.stdin.write("begin; select devices from throng.distinct_count where margin = 0 for update;\n")
    other.stdin.flush()
    crowd.start(pause=PAUSE)
    house.until("a flush that dawdles", lambda: house.sql(
        f"select 1 from pg_stat_activity where datname = '{house.database}' and wait_event = 'PgSleep'"))
    words, _ = other.communicate("set deadlock_timeout = '30s'; select position from throng.watermark for update; commit;\n", 60)
    check(other.returncode == 0, "the other session:", words)
    house.until("a deadlock", lambda: "40P01" in house.log_text())
    crowd.stop()
    house.sql("drop trigger dawdle on throng.counter")


def cut(server, house, crowd, tally, chance):
    """The connection breaks right before COMMIT, right after it, and between it and its answer."""
    proxy = behind(house)
    house.restart()
    crowd.start(pause=PAUSE)
    places = ["before", "during", "after"]
    chance.shuffle(places)
    for place in places:
        cuts = proxy.cuts
        proxy.cut(place)
        house.until(f"a cut {place} COMMIT", lambda: proxy.cuts > cuts)
        if place == "after" and chance.random() < 0.3:
            # And the daemon with it: only the watermark knows.
            house.kill()
            crowd.join()
            house.restart()
            crowd.start(pause=PAUSE)
    crowd.stop()
    return proxy


def stands_still(server, house, crowd, tally, chance):
    """As where a daemon is frozen in the middle of a flush's COPY, which no timeout of PostgreSQL ends: what another daemon's flush
    of the same new period begins with does not wait for it."""
    proxy = behind(house)
    proxy.cut("copy")
    house.restart()
    crowd.start(pause=PAUSE)
    house.until("a COPY", lambda: proxy.cuts > 0)
    house.sql("""
        begin;
        set local lock_timeout = '2s';
        insert into throng.open_period (metric_id, period_start, period_end)
        select metric_id, date_trunc('month', now()), date_trunc('month', now()) + interval '1 month' from throng.metric_layout
        on conflict (metric_id, period_start) do nothing;
        rollback""")
    crowd.stop()
    proxy.go_on()
    return proxy


def lost_commits(server, house, crowd, tally, chance):
    """PostgreSQL was told not to wait for its own disk, and is killed: it has forgotten what it said it had."""
    server.sql(f"alter database {house.database} set synchronous_commit = off", "postgres")
    house.restart()
    crowd.start(pause=PAUSE)
    time.sleep(chance.uniform(1.5, 3))
    server.kill()
    server.start()
    time.sleep(0.5)
    crowd.stop()


KINDS = [outage, cut, stands_still, lost_commits, killed, refusals, backends_killed, deadlock]


def trials(tally, count, chance):
    server = Server()
    for trial in range(count):
        kind = KINDS[trial % len(KINDS)]
        house = House(server)
        crowd = Crowd(house, chance)
        proxy = kind(server, house, crowd, tally, chance)
        # Drained by itself: nobody stops or starts anything from here on.
        crowd.retry()
        house.until("the end of the lag", lambda: house.lag() == 0, 90)
        house.finish()
        tally.add(judge(crowd, tally), kind.__name__)
        if proxy:
            proxy.close()
        house.end()
    server.clean()


def nothing_kept(tally, chance):
    """Commits that PostgreSQL forgets, and no kept flushes."""
    server = Server()
    house = House(server, THRONG_FLUSH_KEEP_MINUTES="0")
    crowd = Crowd(house, chance)
    for _ in range(3):
        server.sql(f"alter database {house.database} set synchronous_commit = off", "postgres")
        house.restart()
        crowd.start(pause=PAUSE)
        time.sleep(2.5)
        server.kill()
        server.start()
        crowd.stop()
        if "this needs a person" in house.log_text() or tally.lost:
            break
        time.sleep(2)
        judge(crowd, tally)
        house.kill()
    judge(crowd, tally)
    house.kill()
    house.end()
    server.clean()


ROWS = [
    Row("5", "PostgreSQL away, killed, refusing, deadlocked, cut off beside COMMIT, forgetting", 80, 3, trials, [
        Control("no watermark", no_watermark, "doubled"), Control("forgotten commits, and nothing kept", nothing_kept, "lost"),
    ]),
]
