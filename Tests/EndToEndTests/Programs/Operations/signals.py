"""What ends a daemon ends its PostgreSQL, SIGHUP ends nothing, and a port in use is named before anything is made."""

import json
import os
import signal
import socket
import time

import daemon
import shop
from daemon import check, say, until


def port_in_use():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        for option in ("--listen", "--metrics", "--portal"):
            house = daemon.Daemon(shop.plan())
            done = daemon.ran(*house.arguments(), option, f"127.0.0.1:{port}", ends=1, seconds=60)
            check(f"127.0.0.1:{port}" in done.stderr and option in done.stderr, "the message:", done.stderr)
            check(not os.path.exists(house.data), "and something was made:", done.stderr)
            house.clean()
    say("a port in use is named, and nothing is made")


def hang_up(house):
    house.process.send_signal(signal.SIGHUP)
    house.said("the plans say what they said")
    check(house.post(json.dumps(shop.batch()))[0] == 202, "after SIGHUP it counts")
    say("SIGHUP is answered by a line in the log")


def ends(number):
    house = daemon.Daemon(shop.plan()).start()
    if number == signal.SIGTERM:
        hang_up(house)
    house.process.send_signal(number)
    code = house.process.wait(60)
    check(code == 0, number, "ended with", code, house.log_text()[-2000:])
    check(house.postgres_pid() is None, number, "leaves PostgreSQL running")
    house.clean()


def ends_start(after):
    """A signal at some moment of the first start."""
    house = daemon.Daemon(shop.plan())
    house.launch()
    until(lambda: os.path.exists(house.data + after) or house.process.poll() is not None, "there is no", after, seconds=300, pause=0.01)
    check(house.process.poll() is None, "it ended with", house.process.poll())
    before = len(house.log_text().splitlines())
    house.process.terminate()
    code = house.process.wait(60)
    check(code == 0, "SIGTERM during the start ended with", code, house.log_text()[-2000:])
    said = house.log_text().splitlines()[before:]
    check(sum("stopped during the start" in line for line in said) == 1, "it says what ended it once:", said)
    check(not [line for line in said if " error " in line or " warning " in line or "listening" in line], "nothing else:", said)
    time.sleep(0.5)
    check(house.postgres_pid() is None, "SIGTERM during the start leaves PostgreSQL running", after)
    # What was cut off does not stand in the way.
    house.start()
    check(house.stop() == 0, "the next start stops gracefully")
    house.clean()


def test():
    port_in_use()
    for number in (signal.SIGTERM, signal.SIGQUIT):
        ends(number)
    say("SIGTERM and SIGQUIT stop PostgreSQL")
    for after in ("/lock", "/postgres/data.unfinished", "/postgres/data/postmaster.pid", "/postgres/.s.PGSQL.5432"):
        ends_start(after)
    say("SIGTERM during a start leaves nothing running")
