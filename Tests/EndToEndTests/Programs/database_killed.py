"""PostgreSQL is killed with -9 under load, twice: clients notice nothing, the daemon starts it again. Then both are killed
at once, as a power cut does. Totals are exact."""

import os
import signal
import time

import daemon
import load
import shop
from daemon import check, say

DEVICES, BATCHES = 400, 25


def test():
    house = daemon.Daemon(shop.plan()).start()
    senders = load.Senders(house, shop.load(DEVICES, BATCHES))
    senders.start()
    alone = 0
    for share in (0.2, 0.6):
        while senders.acknowledged < share * senders.total and not senders.failure:
            time.sleep(0.01)
        before, acknowledged = house.postgres_pid(), senders.acknowledged
        check(before, "a private PostgreSQL runs")
        os.kill(before, signal.SIGKILL)
        deadline = time.monotonic() + 30
        # As many as may have been under way before are no sign.
        while senders.acknowledged <= acknowledged + 2 * load.CONNECTIONS and time.monotonic() < deadline:
            time.sleep(0.01)
        check(senders.acknowledged > acknowledged + 2 * load.CONNECTIONS, "intake does not continue")
        alone += house.postgres_pid() in (None, before)
        time.sleep(0.5)
        check(house.get("/readyz")[0] == 200, "and the daemon stays ready")
        deadline = time.monotonic() + 600
        while house.postgres_pid() in (None, before) and time.monotonic() < deadline:
            time.sleep(0.1)
        check(house.postgres_pid() not in (None, before), "the daemon starts PostgreSQL again\n", house.log_text()[-2000:])
        say(f"PostgreSQL was killed after {acknowledged:,} batches and runs again")
    # A busy machine may have had it back before anybody came to send anything; not twice.
    check(alone > 0, "intake continues without PostgreSQL")
    check(senders.retries == 0, "no client was turned away or cut off, but", senders.retries)
    while senders.acknowledged < 0.8 * senders.total and not senders.failure:
        time.sleep(0.01)
    postgres = house.postgres_pid()
    house.process.kill()
    os.kill(postgres, signal.SIGKILL)
    house.process.wait()
    house.start()
    check(house.postgres_pid() not in (None, postgres), "another PostgreSQL runs")
    say("both were killed and run again")
    senders.join()
    house.drain()
    check(shop.counted(house) == DEVICES * BATCHES * 3, "every event is counted once:", shop.counted(house))
    check(shop.devices(house) == DEVICES, "every device is counted once:", shop.devices(house))
    check(house.metrics()["throng_database_up"] == 1, "the daemon says that PostgreSQL is there")
    say(f"{DEVICES * BATCHES * 3:,} events and {DEVICES} devices, exactly")
    check(house.stop() == 0, "serve stops gracefully")


if __name__ == "__main__":
    daemon.main(test)
